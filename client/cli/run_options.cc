#include "client/cli/run_options.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/exit_status.h"
#include "client/report/csv.h"
#include "common/cpu_list.h"
#include "common/event_spec.h"

namespace pmu::cli {
namespace {

// What becomes part of RunOptions only after checking.
struct RawOptions {
  bool json = false;
  bool csv = false;
  std::string separator;
  std::vector<std::string> labels;
  std::vector<std::string> metrics;
  bool no_metric_only = false;
};

OptionTable Table(RunOptions* options, RawOptions* raw) {
  OptionTable table;
  options->hosts.AddTo(&table);
  table.AddStrings('e', "event", "EVENTS", "what to count, in perf's syntax; repeatable",
                   &options->events);
  table.AddStrings('M', "metric", "METRIC",
                   "a derived value: a name (-M list shows them) or \"name = formula\"; repeatable",
                   &raw->metrics);
  table.AddFlag(0, "smi-cost",
                "measure what system management interrupts cost; sets freeze_on_smi meanwhile",
                &options->smi_cost);
  table.AddFlag(0, "no-metric-only", "with --smi-cost: show the counts too", &raw->no_metric_only);
  table.AddFlag(0, "multiplex",
                "where events are more than a device's counters, share these over time",
                &options->multiplex);
  table.AddInt(0, "cycles", "N",
               "stop by itself after N clock cycles of the device that counts (cci400)", 1,
               INT64_MAX, &options->cycle_limit);
  table.AddDuration('d', "duration", "DURATION",
                    "how long: 500ms, 5s, 1m30s; without it and without a command, until Ctrl-C",
                    &options->duration);
  table.AddDuration('I', "interval", "DURATION",
                    "print what was counted in every such interval, too: 1s, 100ms, down to 1ms",
                    &options->interval);
  table.AddInt(0, "interval-count", "N", "end after N intervals", 1, 1'000'000'000,
               &options->interval_count);
  table.AddInt('r', "repeat", "N", "measure N times; shows mean, deviation and 95% confidence", 1,
               1'000'000, &options->repeat);
  table.AddInt(0, "warmup", "N", "before that, measure N times more, not counted", 1, 1'000'000,
               &options->warmup);
  table.AddString(0, "pre", "COMMAND", "run this by sh on this machine before each repeat",
                  &options->pre);
  table.AddString(0, "post", "COMMAND", "run this by sh on this machine after each repeat",
                  &options->post);
  table.AddString(0, "client-id", "NAME",
                  "by this name the agents' sessions are listed (default: user@host:process)",
                  &options->client_id);
  table.AddString('C', "cpu", "CPUS", "only on these CPUs: 0-3,8", &options->cpus);
  table.AddInt('p', "pid", "PID", "only this process of each host, with all its threads", 1,
               INT32_MAX, &options->pid);
  table.AddString('G', "cgroup", "PATH", "only this control group of each host", &options->cgroup);
  table.AddFlag('A', "per-cpu", "show each CPU", &options->per_cpu);
  table.AddFlag(0, "dry-run", "show what each event becomes on each host; count nothing",
                &options->dry_run);
  table.AddFlag('j', "json", "print JSON", &raw->json);
  table.AddFlag(0, "csv", "print CSV", &raw->csv);
  table.AddString('x', "separator", "SEP", "print CSV with SEP between columns: ; | tab",
                  &raw->separator);
  table.AddString('o', "output", "FILE",
                  "write the result to FILE, as a whole or not at all; - is the standard output",
                  &options->output);
  table.AddInt(0, "min-hosts", "N",
               "measure only if N hosts or more can be measured; 1 unless given", 1, 1000000,
               &options->min_hosts);
  table.AddFlag(0, "strict", "measure only if every host can count every event", &options->strict);
  table.AddStrings(0, "label", "KEY=TEXT", "a label kept with the result; repeatable",
                   &raw->labels);
  table.AddFlag('q', "quiet", "no progress line, even on a terminal", &options->quiet);
  table.AddFlag('h', "help", "this text", &options->help);
  return table;
}

absl::Status CheckTarget(const RunOptions& options) {
  if (options.pid != 0 && !options.cgroup.empty()) {
    return absl::InvalidArgumentError("give --pid or --cgroup, not both");
  }
  if (options.pid != 0 && !options.cpus.empty()) {
    return absl::InvalidArgumentError(
        "--cpu does not go with --pid: a process is followed to whatever CPU it runs on");
  }
  const absl::StatusOr<CpuList> cpus = ParseCpuList(options.cpus);
  if (!cpus.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option --cpu: ", absl::string_view(cpus.status().message())));
  }
  return absl::OkStatus();
}

absl::Status CheckLength(const RunOptions& options) {
  if (options.duration != absl::ZeroDuration() && !options.command.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "give --duration or a command, not both (the command here: \"", options.command[0], "\")"));
  }
  if (options.interval != absl::ZeroDuration() && options.interval < absl::Milliseconds(1)) {
    return absl::InvalidArgumentError("option --interval: the shortest interval is 1ms");
  }
  if (options.interval > absl::Hours(1)) {
    return absl::InvalidArgumentError("option --interval: the longest interval is 1h");
  }
  if (options.interval_count != 0) {
    if (options.interval == absl::ZeroDuration()) {
      return absl::InvalidArgumentError("--interval-count goes with --interval");
    }
    if (options.duration != absl::ZeroDuration() || !options.command.empty()) {
      return absl::InvalidArgumentError(
          "give --interval-count, --duration or a command, one of them");
    }
  }
  if (options.cycle_limit != 0 && !options.command.empty()) {
    return absl::InvalidArgumentError("give --cycles or a command, not both");
  }
  if (options.dry_run && !options.command.empty()) {
    return absl::InvalidArgumentError("--dry-run counts nothing, so it runs no command");
  }
  return absl::OkStatus();
}

absl::Status CheckRepeats(const RunOptions& options) {
  if (options.repeat == 0) {
    const bool any = options.warmup != 0 || !options.pre.empty() || !options.post.empty();
    if (!any) return absl::OkStatus();
    return absl::InvalidArgumentError("--warmup, --pre and --post go with --repeat");
  }
  if (options.interval != absl::ZeroDuration() || options.dry_run) {
    return absl::InvalidArgumentError("--repeat goes neither with --interval nor with --dry-run");
  }
  if (options.format == Format::kCsv) {
    return absl::InvalidArgumentError("--repeat prints a table or JSON, not CSV");
  }
  const bool has_end = options.duration != absl::ZeroDuration() || !options.command.empty() ||
                       options.cycle_limit != 0;
  if (has_end) return absl::OkStatus();
  return absl::InvalidArgumentError("--repeat needs --duration or a command");
}

absl::Status SetFormat(const RawOptions& raw, RunOptions* options) {
  const bool csv = raw.csv || !raw.separator.empty();
  if (raw.json && csv) return absl::InvalidArgumentError("give --json or --csv, not both");
  if (csv && options->dry_run) {
    return absl::InvalidArgumentError("--dry-run prints a table or JSON, not CSV");
  }
  if (raw.json) options->format = Format::kJson;
  if (csv) options->format = Format::kCsv;
  if (raw.separator.empty()) return absl::OkStatus();
  absl::Status status = client::ParseCsvSeparator(raw.separator, &options->separator);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("option --separator: ", absl::string_view(status.message())));
}

// The group keeps the three counting over exactly the same time.
constexpr char kSmiCostEvents[] = "{msr/aperf/,msr/smi/,cycles}";

absl::Status SetMetrics(const RawOptions& raw, RunOptions* options) {
  std::vector<std::string> names = raw.metrics;
  if (options->smi_cost) {
    names.emplace_back("smi-cost");
    options->events.emplace_back(kSmiCostEvents);
    options->metrics_only = !raw.no_metric_only;
  }
  for (const std::string& name : names) {
    if (name == "list") {
      options->list_metrics = true;
      continue;
    }
    absl::StatusOr<std::vector<client::Metric>> found = client::FindMetrics(name);
    if (!found.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("option --metric: ", absl::string_view(found.status().message())));
    }
    for (client::Metric& metric : *found) options->metrics.push_back(std::move(metric));
  }
  return absl::OkStatus();
}

absl::Status SetLabels(const RawOptions& raw, RunOptions* options) {
  for (const std::string& label : raw.labels) {
    const size_t sign = label.find('=');
    if (sign == std::string::npos || sign == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("option --label takes KEY=TEXT, not \"", label, "\""));
    }
    options->labels[label.substr(0, sign)] = label.substr(sign + 1);
  }
  return absl::OkStatus();
}

}  // namespace

std::string RunOptions::EventText() const {
  std::vector<std::string> all = events;
  std::vector<std::string> known;
  // A malformed -e is reported by who parses the whole text.
  if (const auto asked = ParseEventList(absl::StrJoin(events, ",")); asked.ok()) {
    for (const EventSpec& event : *asked) known.push_back(event.text);
  }
  for (const std::string& event : client::EventsOf(metrics)) {
    const bool asked = std::any_of(known.begin(), known.end(), [&](const std::string& text) {
      return text == event || absl::StartsWith(text, event + ":");
    });
    if (!asked) all.push_back(event);
  }
  return absl::StrJoin(all, ",");
}

absl::StatusOr<RunOptions> ParseRunOptions(const std::vector<std::string>& args) {
  RunOptions options;
  RawOptions raw;
  absl::StatusOr<std::vector<std::string>> operands = Table(&options, &raw).Parse(args);
  if (!operands.ok()) return operands.status();
  if (options.help) return options;
  options.command = *std::move(operands);
  if (absl::Status status = SetMetrics(raw, &options); !status.ok()) return status;
  if (options.list_metrics) return options;
  if (options.EventText().empty()) {
    return absl::InvalidArgumentError(
        options.metrics.empty()
            ? "no events: give -e EVENTS, for example -e task-clock,context-switches,page-faults"
            : absl::StrCat("no events: metric ", options.metrics[0].expr.name(),
                           " is computed from events given with -e: ",
                           absl::StrJoin(options.metrics[0].expr.inputs(), ",")));
  }
  for (const absl::Status& status :
       {CheckTarget(options), CheckLength(options), SetFormat(raw, &options),
        SetLabels(raw, &options), CheckRepeats(options)}) {
    if (!status.ok()) return status;
  }
  if (options.interval_count != 0) options.duration = options.interval_count * options.interval;
  return options;
}

std::string RunHelp() {
  RunOptions options;
  RawOptions raw;
  return absl::StrCat(
      "usage: pmuctl run --hosts LIST -e EVENTS [OPTIONS] [--duration DURATION]\n"
      "       pmuctl run --hosts LIST -e EVENTS [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
      "\n"
      "Counts events on all hosts over the same span of time: for a duration, or\n"
      "while a command runs on this machine, or until Ctrl-C. Counters are opened\n"
      "everywhere first and enabled at one planned instant; the result says how\n"
      "well that went.\n"
      "\n"
      "Options:\n",
      Table(&options, &raw).Help(), "\n", kHostListHelp,
      "\n"
      "Events (`pmuctl list` shows them):\n"
      "  cycles  page-faults    by name                       cycles:u  only user mode\n"
      "  r1a8                   raw, in hexadecimal           {a,b}     a group\n"
      "  cpu/event=0x3c/        on a PMU                      sched:sched_switch\n"
      "\n"
      "Metrics (-M list shows them all) are computed from events, which are added to\n"
      "-e where they are missing: -M ipc, or -M 'kpi = 1000 * branches / instructions'.\n"
      "\n"
      "The result goes to the standard output; with a command to the standard\n"
      "error, so that the command's output stays what it is. --output FILE puts it\n"
      "into a file instead. Hosts that fail and counters that cannot count do not\n"
      "end the measurement: they are named, and the exit status tells.\n"
      "\n"
      "Ctrl-C ends the measurement early and prints what was measured; a second\n"
      "one ends pmuctl at once.\n"
      "\n",
      ExitStatusHelp(),
      "\n"
      "Examples:\n"
      "  pmuctl run --hosts 127.0.0.1 -e task-clock,page-faults --duration 5s\n"
      "  pmuctl run --hosts node[01-16] -e cycles,instructions -- ./drive-the-test\n"
      "  pmuctl run --hosts @lab.txt -e cycles -A -C 0-3 -j -o result.json -d 10s\n"
      "  pmuctl run --hosts a,b -e 'cpu/event=0x3c,umask=1/' --dry-run\n"
      "  pmuctl run --hosts node[01-16] -M ipc --duration 10s\n"
      "  pmuctl run --hosts node[01-16] -e cycles -r 10 --warmup 1 -- ./benchmark\n"
      "  pmuctl run --hosts node[01-16] -e cycles -I 100ms --duration 10s\n"
      "  pmuctl run --hosts node[01-16] --smi-cost --duration 60s\n");
}

}  // namespace pmu::cli
