#include "server/backends/perf_event/sysfs_pmu.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kDevices[] = "/sys/bus/event_source/devices/";

PmuRegistry ScanCase(const std::string& name) {
  return PmuRegistry::Scan("tests/cases/sysfs/" + name);
}

std::vector<std::string> NamesOf(const std::vector<const SysfsPmu*>& pmus) {
  std::vector<std::string> names;
  for (const SysfsPmu* pmu : pmus) names.push_back(pmu->name);
  return names;
}

TEST(PmuRegistryTest, MissingDirectoryIsAnEmptyRegistry) {
  ScratchTree tree;

  EXPECT_THAT(PmuRegistry::Scan(tree.root()).pmus(), IsEmpty());
}

TEST(PmuRegistryTest, PrefixMeansNumberedInstancesOnly) {
  const PmuRegistry registry = ScanCase("adl-hybrid");

  EXPECT_THAT(NamesOf(registry.Match("uncore_imc")), ElementsAre("uncore_imc_0", "uncore_imc_1"));
  EXPECT_THAT(NamesOf(registry.Match("imc")), ElementsAre("uncore_imc_0", "uncore_imc_1"));
  EXPECT_THAT(NamesOf(registry.Match("imc_1")), ElementsAre("uncore_imc_1"));
  EXPECT_THAT(NamesOf(registry.Match("uncore_imc_free_running")),
              ElementsAre("uncore_imc_free_running_0", "uncore_imc_free_running_1"));
  EXPECT_THAT(registry.Match("uncore"), IsEmpty());
  EXPECT_THAT(registry.Match(""), IsEmpty());
}

TEST(PmuRegistryTest, ExactNameComesFirst) {
  ScratchTree tree;
  tree.Write(std::string(kDevices) + "box/type", "20\n");
  tree.Write(std::string(kDevices) + "box_0/type", "21\n");

  EXPECT_THAT(NamesOf(PmuRegistry::Scan(tree.root()).Match("box")), ElementsAre("box"));
}

TEST(PmuRegistryTest, CorePmusAreCpuAndThoseWithACpusFile) {
  EXPECT_THAT(NamesOf(ScanCase("skx-2s36c").CorePmus()), ElementsAre("cpu"));
  EXPECT_THAT(NamesOf(ScanCase("adl-hybrid").CorePmus()), ElementsAre("cpu_atom", "cpu_core"));
  EXPECT_THAT(NamesOf(ScanCase("juno-cci").CorePmus()),
              ElementsAre("armv8_cortex_a53", "armv8_cortex_a57"));
  EXPECT_THAT(NamesOf(ScanCase("arm-n1-cmn").CorePmus()), ElementsAre("armv8_pmuv3_0"));
  EXPECT_THAT(ScanCase("vm-nopmu").CorePmus(), IsEmpty());
}

TEST(PmuRegistryTest, OddPmusAreKeptWithAReason) {
  const PmuRegistry registry = ScanCase("odd-aliases");

  EXPECT_TRUE(absl::StrContains(registry.Find("badtype")->status.message(), "notanumber"));
  EXPECT_FALSE(registry.Find("notype")->status.ok());
  const SysfsPmu* const bad = registry.Find("badformat");
  ASSERT_NE(bad, nullptr);
  EXPECT_TRUE(bad->status.ok());
  for (const char* name : {"cfg9", "gap", "junk", "over", "rev"}) {
    EXPECT_FALSE(bad->formats.at(name).ok()) << name;
  }
  EXPECT_TRUE(bad->formats.at("good").ok());
}

TEST(PmuRegistryTest, AliasesWithoutTheirPropertyFiles) {
  const PmuRegistry registry = ScanCase("odd-aliases");
  const SysfsPmu* const odd = registry.Find("oddpmu");

  EXPECT_EQ(odd->aliases.count("dots.in.name"), 1u);
  for (const auto& entry : odd->aliases) {
    for (const char* suffix : {".scale", ".unit", ".snapshot", ".per-pkg"}) {
      EXPECT_FALSE(absl::EndsWith(entry.first, suffix)) << entry.first;
    }
  }
  EXPECT_EQ(odd->aliases.count("scale_only"), 0u);
  EXPECT_TRUE(odd->aliases.at("gauge").snapshot);
  EXPECT_TRUE(odd->aliases.at("pkg_evt").per_package);
  EXPECT_THAT(odd->aliases.at("needs_param").required_terms, ElementsAre("core"));
  EXPECT_FALSE(odd->aliases.at("empty").status.ok());
  EXPECT_FALSE(odd->aliases.at("two_lines").status.ok());
}

TEST(PmuRegistryTest, ScalesAndUnits) {
  const PmuRegistry registry = ScanCase("odd-aliases");
  const SysfsPmu* const odd = registry.Find("oddpmu");

  EXPECT_EQ(odd->aliases.at("sc_int").scale, 4);
  EXPECT_EQ(odd->aliases.at("sc_exp").scale, 6.103515625e-5);
  EXPECT_EQ(odd->aliases.at("sc_long").scale, 2.3283064365386962890625e-10);
  EXPECT_EQ(odd->aliases.at("dots.in.name").unit, "MiB");
  EXPECT_EQ(odd->aliases.at("quote").unit, "a\"b,c");
  EXPECT_EQ(odd->aliases.at("unit_ws").unit, "MiB");
  for (const char* name : {"sc_comma", "sc_empty", "sc_huge", "sc_nan", "sc_neg", "sc_zero"}) {
    const EventAlias& alias = odd->aliases.at(name);
    EXPECT_EQ(alias.scale, 1) << name;
    EXPECT_EQ(alias.unit, "") << name;
    EXPECT_EQ(alias.warnings.size(), 1u) << name;
    EXPECT_TRUE(alias.status.ok()) << name;
  }
}

TEST(SysfsPmuTest, FamilyDropsTheInstance) {
  SysfsPmu pmu;
  pmu.name = "uncore_cha_12";
  EXPECT_EQ(pmu.family(), "uncore_cha");
  pmu.name = "CCI_400_r1";
  EXPECT_EQ(pmu.family(), "CCI_400_r1");
  pmu.name = "armv8_pmuv3_0";
  pmu.has_cpus = true;
  EXPECT_EQ(pmu.family(), "armv8_pmuv3_0");
}

TEST(SysfsPmuTest, CpusAreReadAfresh) {
  ScratchTree tree;
  tree.Write(std::string(kDevices) + "box/type", "20\n");
  tree.Write(std::string(kDevices) + "box/cpumask", "0\n");
  const PmuRegistry registry = PmuRegistry::Scan(tree.root());
  const SysfsPmu* const box = registry.Find("box");
  EXPECT_EQ(**box->ReadCpus(), CpuList({0}));

  tree.Write(std::string(kDevices) + "box/cpumask", "1\n");

  EXPECT_EQ(**box->ReadCpus(), CpuList({1}));
  tree.Write(std::string(kDevices) + "box/cpumask", "x\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(box->ReadCpus().status()));
}

}  // namespace
}  // namespace pmu::server
