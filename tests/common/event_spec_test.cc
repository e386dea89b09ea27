#include "common/event_spec.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/common/case_table.h"

namespace pmu {
namespace {

std::vector<EventSpec> ParseOk(absl::string_view text) {
  absl::StatusOr<std::vector<EventSpec>> specs = ParseEventList(text);
  EXPECT_TRUE(specs.ok()) << text << ": " << specs.status();
  return specs.ok() ? *std::move(specs) : std::vector<EventSpec>(1);
}

EventSpec ParseOne(absl::string_view text) {
  std::vector<EventSpec> specs = ParseOk(text);
  EXPECT_EQ(specs.size(), 1u) << text;
  return specs[0];
}

std::string Error(absl::string_view text) {
  return std::string(ParseEventList(text).status().message());
}

std::string Terms(const EventSpec& spec) {
  return absl::StrJoin(spec.terms, " ", [](std::string* out, const EventTerm& term) {
    absl::StrAppend(out, term.name, term.has_value ? "=" : "", term.value);
  });
}

TEST(EventSpecTest, Names) {
  for (const char* name : {"cycles", "ref-cycles", "page-faults", "L1-dcache-load-misses",
                           "INST_RETIRED.ANY", "rx1", "reg", "perf-aperf", "1g"}) {
    const EventSpec spec = ParseOne(name);
    EXPECT_EQ(spec.form, EventForm::kName) << name;
    EXPECT_EQ(spec.name, name);
    EXPECT_EQ(spec.text, name);
    EXPECT_EQ(spec.group, 0);
    EXPECT_EQ(spec.modifiers.letters, "");
  }
}

TEST(EventSpecTest, RawIsOnlyHexDigits) {
  const struct {
    const char* text;
    uint64_t config;
  } kRaws[] = {{"r1a8", 0x1a8},
               {"r1A8", 0x1a8},
               {"r0", 0},
               {"race", 0xace},
               {"rffffffffffffffff", UINT64_MAX},
               {"r0000000000000001", 1}};
  for (const auto& raw : kRaws) {
    const EventSpec spec = ParseOne(raw.text);
    EXPECT_EQ(spec.form, EventForm::kRaw) << raw.text;
    EXPECT_EQ(spec.raw_config, raw.config) << raw.text;
    EXPECT_EQ(spec.name, raw.text);
  }
  const EventSpec user = ParseOne("r5301c0:u");
  EXPECT_EQ(user.form, EventForm::kRaw);
  EXPECT_EQ(user.raw_config, 0x5301c0u);
  EXPECT_TRUE(user.modifiers.user);
}

TEST(EventSpecTest, RawWithTooManyDigitsNamesTheLimit) {
  EXPECT_EQ(Error("cycles,rE7574c47490475745"),
            "event list, position 8: raw event \"rE7574c47490475745\" has 17 hex digits; the limit "
            "is 16");
  EXPECT_EQ(Error("cpu/rE7574c47490475745/"),
            "event list, position 5: raw event \"rE7574c47490475745\" has 17 hex digits; the limit "
            "is 16");
  EXPECT_EQ(Error("r"), "event list, position 1: \"r\" needs 1 to 16 hex digits, such as r1a8");
}

TEST(EventSpecTest, PmuWithTerms) {
  const EventSpec spec =
      ParseOne("x86_pmc/event=0xc0,umask=0x00,cmask=1,edge,inv,counter=1,preload=0/ku");

  EXPECT_EQ(spec.form, EventForm::kPmu);
  EXPECT_EQ(spec.pmu, "x86_pmc");
  EXPECT_EQ(spec.name, "");
  EXPECT_EQ(Terms(spec), "event=0xc0 umask=0x00 cmask=1 edge inv counter=1 preload=0");
  EXPECT_EQ(spec.terms[3].position, 39u);
  EXPECT_FALSE(spec.terms[3].has_value);
  EXPECT_TRUE(spec.modifiers.user);
  EXPECT_TRUE(spec.modifiers.kernel);
  EXPECT_EQ(spec.modifiers.letters, "ku");
}

TEST(EventSpecTest, PmuForms) {
  const struct {
    const char* text;
    const char* pmu;
    const char* terms;
    const char* letters;
  } kEvents[] = {
      {"cpu//", "cpu", "", ""},
      {"cpu/ /", "cpu", "", ""},
      {"cpu_core/cycles/", "cpu_core", "cycles", ""},
      {"cpu/r1a8/", "cpu", "r1a8", ""},
      {"uncore_imc/cas_count_read/", "uncore_imc", "cas_count_read", ""},
      {"uncore_imc/cas_count_read/k", "uncore_imc", "cas_count_read", "k"},
      {"uncore_imc/cas_count_read/:k", "uncore_imc", "cas_count_read", "k"},
      {"cpu/event=0x3c, umask=1 /", "cpu", "event=0x3c umask=1", ""},
      {"CCI_400_r1/si_rrq_hs_any,source=3/", "CCI_400_r1", "si_rrq_hs_any source=3", ""},
      {"arm_cmn_0/watchpoint_up,wp_dev_sel=1,wp_val=0x0/", "arm_cmn_0",
       "watchpoint_up wp_dev_sel=1 wp_val=0x0", ""},
      {"i915/rcs0-busy/", "i915", "rcs0-busy", ""},
      {"i915_0000_03_00.0/actual-frequency/", "i915_0000_03_00.0", "actual-frequency", ""},
      {"cpu/event=0x3c,name=a:b.c-d@e/", "cpu", "event=0x3c name=a:b.c-d@e", ""},
      {"pmu/source=?/", "pmu", "source=?", ""},
  };
  for (const auto& event : kEvents) {
    const EventSpec spec = ParseOne(event.text);
    EXPECT_EQ(spec.form, EventForm::kPmu) << event.text;
    EXPECT_EQ(spec.pmu, event.pmu) << event.text;
    EXPECT_EQ(Terms(spec), event.terms) << event.text;
    EXPECT_EQ(spec.modifiers.letters, event.letters) << event.text;
    EXPECT_EQ(spec.text, event.text);
  }
}

TEST(EventSpecTest, Tracepoints) {
  const EventSpec plain = ParseOne("sched:sched_switch");
  EXPECT_EQ(plain.form, EventForm::kTracepoint);
  EXPECT_EQ(plain.pmu, "sched");
  EXPECT_EQ(plain.name, "sched_switch");
  EXPECT_EQ(plain.modifiers.letters, "");

  const EventSpec user = ParseOne("syscalls:sys_enter_read:u");
  EXPECT_EQ(user.form, EventForm::kTracepoint);
  EXPECT_EQ(user.name, "sys_enter_read");
  EXPECT_TRUE(user.modifiers.user);
  EXPECT_EQ(user.text, "syscalls:sys_enter_read:u");

  // Letters that could be modifiers are an event once modifiers follow.
  EXPECT_EQ(ParseOne("foo:up:k").form, EventForm::kTracepoint);
  EXPECT_EQ(ParseOne("foo:up").form, EventForm::kName);
  EXPECT_EQ(ParseOne("xe-2.sub:ev.1-x_y").name, "ev.1-x_y");
}

TEST(EventSpecTest, EveryModifierIsTaken) {
  const EventModifiers all = ParseOne("cycles:ukhGHppD").modifiers;
  EXPECT_TRUE(all.user && all.kernel && all.hypervisor && all.guest && all.host && all.pinned);
  EXPECT_EQ(all.precise, 2);
  EXPECT_EQ(all.letters, "ukhGHppD");

  const EventModifiers none = ParseOne("cycles").modifiers;
  EXPECT_FALSE(none.user || none.kernel || none.hypervisor || none.guest || none.host ||
               none.pinned);
  EXPECT_EQ(none.precise, 0);
}

TEST(EventSpecTest, UnknownModifiers) {
  EXPECT_EQ(Error("cpu/event=1/x"),
            "event list, position 13: unknown modifier \"x\" in \"x\" after the closing '/'; known "
            "are ukhGHpD");
  EXPECT_EQ(Error("cpu/event=1/:ux"),
            "event list, position 15: unknown modifier \"x\" in \"ux\" after the closing '/'; "
            "known are ukhGHpD");
  EXPECT_EQ(Error("{a,b}:z"),
            "event list, position 7: unknown modifier \"z\" in \"z\" after the group; known are "
            "ukhGHpD");
  EXPECT_EQ(Error("r1a8:y"),
            "event list, position 6: unknown modifier \"y\" in \"y\" after r1a8; known are "
            "ukhGHpD");
  EXPECT_EQ(Error("cycles:uP"),
            "event list, position 9: modifier 'P' in \"uP\" is for sampling or scheduling; "
            "counting takes ukhGHpD");
  EXPECT_EQ(Error("cycles:pppp"), "event list, position 8: more than 3 'p' in modifiers \"pppp\"");
  EXPECT_EQ(Error("{cycles:pp}:pp"),
            "event list, position 13: more than 3 'p' in modifiers \"pp\"");
}

TEST(EventSpecTest, ModifiersMayNotBeEmpty) {
  EXPECT_EQ(Error("cycles:"),
            "event list, position 8: modifiers or the event of a tracepoint expected at the end");
  EXPECT_EQ(Error("cpu/event=1/:,cycles"),
            "event list, position 14: modifiers after the closing '/' expected, found \",cycles\"");
  EXPECT_EQ(Error("sched:sched_switch:"),
            "event list, position 20: modifiers after sched_switch expected at the end");
}

TEST(EventSpecTest, GroupsNumberTheirMembersAndShareModifiers) {
  const std::vector<EventSpec> specs =
      ParseOk("cycles, {cpu/event=0x3c/,cpu/event=0xc0/}:u , {a:u , sched:sched_switch}:kD,b");

  ASSERT_EQ(specs.size(), 6u);
  const int kGroups[] = {0, 1, 1, 2, 2, 0};
  const size_t kPositions[] = {1, 10, 26, 48, 54, 77};
  const char* kTexts[] = {"cycles", "cpu/event=0x3c/",    "cpu/event=0xc0/",
                          "a:u",    "sched:sched_switch", "b"};
  const char* kLetters[] = {"", "u", "u", "ukD", "kD", ""};
  for (size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(specs[i].group, kGroups[i]) << i;
    EXPECT_EQ(specs[i].position, kPositions[i]) << i;
    EXPECT_EQ(specs[i].text, kTexts[i]) << i;
    EXPECT_EQ(specs[i].modifiers.letters, kLetters[i]) << i;
  }
  EXPECT_TRUE(specs[1].modifiers.user && !specs[1].modifiers.kernel);
  EXPECT_TRUE(specs[3].modifiers.user && specs[3].modifiers.kernel && specs[3].modifiers.pinned);
  EXPECT_TRUE(!specs[4].modifiers.user && specs[4].modifiers.kernel);
}

TEST(EventSpecTest, MalformedStringsNameThePosition) {
  const struct {
    const char* text;
    const char* message;
  } kErrors[] = {
      {"", "event list: empty; name at least one event"},
      {"  ", "event list: empty; name at least one event"},
      {"cycles,uncore_imc_0/event=0x4,umask=0x3",
       "event list, position 20: closing '/' missing after \"uncore_imc_0/event=0x4,umask=0x3\""},
      {"cpu/", "event list, position 4: closing '/' missing after \"cpu/\""},
      {"cpu/a,", "event list, position 4: closing '/' missing after \"cpu/a,\""},
      {"{cpu/a}", "event list, position 5: closing '/' missing after \"cpu/a\""},
      {"cpu/a=/", "event list, position 7: value missing after \"a=\""},
      {"cpu/a,,b/", "event list, position 7: a term is missing here; remove the ','"},
      {"cpu/a b/", "event list, position 7: ',' or '/' expected, found \"b/\""},
      {"cpu/=1/", "event list, position 5: a term expected, found \"=1/\""},
      {"cpu/a/cycles/",
       "event list, position 7: unknown modifier \"c\" in \"cycles\" after the closing '/'; known "
       "are ukhGHpD"},
      {"{instructions,{cycles,branches}}",
       "event list, position 15: groups cannot be nested; close the first '{' before"},
      {"{instructions,cycles",
       "event list, position 1: group not closed; '}' missing after \"{instructions,cycles\""},
      {"cycles}", "event list, position 7: '}' without a '{' before it"},
      {"{}", "event list, position 2: an event is missing here; remove the ',' or name one"},
      {"{a,}", "event list, position 4: an event is missing here; remove the ',' or name one"},
      {"cpu/event=0x3c/,,cpu/event=0xc0/",
       "event list, position 17: an event is missing here; remove the ',' or name one"},
      {"cycles,", "event list, position 8: an event is missing here; remove the ',' or name one"},
      {"cycles instructions", "event list, position 8: ',' expected, found \"instructions\""},
      {"{a b}", "event list, position 4: ',' or '}' expected, found \"b}\""},
      {"-e", "event list, position 1: event name \"-e\" must start with a letter or a digit"},
      {"a\xc3\xa9", "event list, position 2: ',' expected, found \"\\xc3\\xa9\""},
      {"%a\n", "event list, position 1: an event name expected, found \"%a\\n\""},
      {"{a}u", "event list, position 4: ',' expected, found \"u\""},
  };
  for (const auto& error : kErrors) {
    const absl::Status status = ParseEventList(error.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << error.text;
    EXPECT_EQ(status.message(), error.message) << error.text;
  }
}

TEST(EventSpecTest, LimitsAreNamed) {
  const absl::Status too_long = ParseEventList(std::string(kMaxEventTextBytes + 1, 'a')).status();
  EXPECT_EQ(too_long.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(too_long.message(), "event list: 65537 bytes; the limit is 65536");

  std::string events = "a";
  for (size_t i = 1; i < kMaxEvents; ++i) events += ",a";
  EXPECT_EQ(ParseOk(events).size(), kMaxEvents);
  const absl::Status too_many = ParseEventList(events + ",a").status();
  EXPECT_EQ(too_many.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(too_many.message(), "event list, position 2049: more than 1024 events");

  std::string terms = "cpu/a";
  for (size_t i = 1; i < kMaxTermsPerEvent; ++i) terms += ",a";
  EXPECT_EQ(ParseOne(terms + "/").terms.size(), kMaxTermsPerEvent);
  const absl::Status too_deep = ParseEventList(terms + ",a/").status();
  EXPECT_EQ(too_deep.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(too_deep.message(), "event list, position 133: more than 64 terms in one event");
}

TEST(EventSpecTest, TermNumbers) {
  const struct {
    const char* value;
    uint64_t number;
  } kNumbers[] = {{"0", 0},
                  {"10", 10},
                  {"0x3c", 0x3c},
                  {"0XfF", 0xff},
                  {"010", 8},
                  {"18446744073709551615", UINT64_MAX},
                  {"0xffffffffffffffff", UINT64_MAX},
                  {"01777777777777777777777", UINT64_MAX},
                  {"0x000000000000000000001", 1}};
  for (const auto& item : kNumbers) {
    const absl::StatusOr<uint64_t> number = EventTermNumber({"event", item.value, true, 5});
    ASSERT_TRUE(number.ok()) << item.value;
    EXPECT_EQ(*number, item.number) << item.value;
  }
  EXPECT_EQ(*EventTermNumber({"edge", "", false, 5}), 1u);
}

TEST(EventSpecTest, TermNumberErrors) {
  for (const std::string value : {"", "x", "0x", "0xg", "08", "-1", "+1", "1.5", "1a"}) {
    EXPECT_EQ(EventTermNumber({"umask", value, true, 12}).status().message(),
              absl::StrCat("event list, position 12: value \"", value,
                           "\" of term \"umask\" is not a number (decimal, 0x hex or 0 octal)"));
  }
  for (const std::string value :
       {"18446744073709551616", "0x10000000000000000", "02000000000000000000000"}) {
    EXPECT_EQ(EventTermNumber({"umask", value, true, 12}).status().message(),
              absl::StrCat("event list, position 12: value \"", value,
                           "\" of term \"umask\" is above 64 bits"));
  }
}

// What the grammar alone decides of the field cases: the malformed strings
// (EV-2) are refused here, and every other string is well-formed; whether its
// names and numbers exist is known on the machine.
TEST(EventSpecTest, FieldCases) {
  int refused = 0;
  int taken = 0;
  for (const auto& row : ReadCaseTable("event_strings.tsv", 4)) {
    const absl::StatusOr<std::vector<EventSpec>> specs = ParseEventList(row[1]);
    if (row[3] == "EV-2") {
      EXPECT_EQ(specs.status().code(), absl::StatusCode::kInvalidArgument) << row[1];
      ++refused;
      continue;
    }
    ASSERT_TRUE(specs.ok()) << row[1] << ": " << specs.status();
    ++taken;
    for (const EventSpec& spec : *specs) {
      for (const EventTerm& term : spec.terms) {
        EXPECT_TRUE(EventTermNumber(term).ok()) << row[1];
      }
      if (absl::StrContains(row[2], "ERROR")) continue;
      EXPECT_EQ(spec.modifiers.user, absl::StrContains(row[2], "exclude_kernel=1")) << row[1];
      EXPECT_EQ(spec.modifiers.kernel, absl::StrContains(row[2], "exclude_user=1")) << row[1];
    }
  }
  EXPECT_EQ(refused, 7);
  EXPECT_GE(taken, 30);
}

}  // namespace
}  // namespace pmu
