// pmuctl run: one measurement over many hosts.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "client/aggregate.h"
#include "client/cli/child_command.h"
#include "client/cli/commands.h"
#include "client/cli/dry_run_report.h"
#include "client/cli/exit_status.h"
#include "client/cli/interrupts.h"
#include "client/cli/interval_printer.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/run_options.h"
#include "client/report/csv.h"
#include "client/report/footer.h"
#include "client/report/json.h"
#include "client/report/repeats.h"
#include "client/report/table.h"
#include "client/report/text_grid.h"
#include "client/smi_cost.h"
#include "common/event_spec.h"

namespace pmu::cli {
namespace {

using client::Measurement;
using client::MeasurementResult;
using client::Report;

constexpr size_t kDefaultWidth = 100;

std::string MetricListText() {
  client::TextGrid grid;
  for (const char* title : {"metric", "gives", "description"}) {
    grid.AddColumn(title, client::TextGrid::Align::kLeft);
  }
  for (const client::NamedMetric& metric : client::NamedMetrics()) {
    grid.AddRow({metric.group, metric.definition, metric.description});
  }
  return grid.ToString();
}

class Run {
 public:
  Run(RunOptions options, std::vector<std::string> hosts, const Environment& environment)
      : options_(std::move(options)),
        hosts_(std::move(hosts)),
        environment_(environment),
        progress_(environment.err, !options_.quiet && isatty(fileno(environment.err)) == 1) {}

  int Execute() {
    if (options_.interval > absl::ZeroDuration()) {
      intervals_.emplace(options_, hosts_, Width(),
                         [this](const std::string& text) { return Append(text); });
    }
    interrupts_.OnFirst(
        [this](int signal, bool from_terminal) { Interrupt(signal, from_terminal); });
    if (options_.repeat > 0) return ExecuteRepeats();
    Report report;
    Outcome outcome;
    if (const absl::optional<int> failed = MeasureOnce(&report, &outcome)) return *failed;
    progress_.Clear();
    return Print(report, outcome);
  }

 private:
  client::MeasurementSpec Spec() {
    client::MeasurementSpec spec;
    spec.hosts = hosts_;
    spec.events = options_.EventText();
    spec.target.set_cpus(options_.cpus);
    spec.target.set_pid(static_cast<int32_t>(options_.pid));
    spec.target.set_cgroup(options_.cgroup);
    if (options_.duration > absl::ZeroDuration()) spec.duration = options_.duration;
    spec.min_hosts = options_.strict ? hosts_.size() : static_cast<size_t>(options_.min_hosts);
    spec.dry_run = options_.dry_run;
    spec.freeze_on_smi = options_.smi_cost;
    spec.multiplex = options_.multiplex;
    spec.client_id = options_.client_id;
    spec.interval = options_.interval;
    spec.on_interval = [this](const client::Interval& interval) {
      progress_.Hide();
      intervals_->Print(interval);
      if (!intervals_->status().ok()) measurement_->RequestStop(/*interrupted=*/false);
    };
    spec.cycle_limit = static_cast<uint64_t>(options_.cycle_limit);
    spec.labels = options_.labels;
    spec.progress = [this](client::Phase phase, int64_t done, int64_t total) {
      // A running command has the terminal to itself.
      if (phase == client::Phase::kRunning && child_ != nullptr) return;
      progress_.Update(phase, done, total);
    };
    return spec;
  }

  // From the thread of signals.
  void Interrupt(int signal, bool from_terminal) {
    absl::MutexLock lock(&mutex_);
    // Ctrl-C has reached the command as well; other signals only us.
    if (child_ != nullptr && !from_terminal) child_->Signal(signal);
    if (measurement_ != nullptr) measurement_->RequestStop(/*interrupted=*/true);
  }

  bool Interrupted() const { return interrupts_.first_signal() != 0; }

  // A new command, waiting, and a new measurement.
  absl::Status Prepare() {
    std::unique_ptr<ChildCommand> child;
    if (!options_.command.empty()) {
      auto prepared = ChildCommand::Prepare(options_.command, interrupts_.original_mask());
      if (!prepared.ok()) return prepared.status();
      child = *std::move(prepared);
    }
    auto measurement = environment_.create_measurement(Spec(), options_.hosts.Fleet());
    if (!measurement.ok()) return measurement.status();
    absl::MutexLock lock(&mutex_);
    child_ = std::move(child);
    measurement_ = *std::move(measurement);
    // A signal may have come when there was nothing yet to stop.
    if (Interrupted()) measurement_->RequestStop(/*interrupted=*/true);
    return absl::OkStatus();
  }

  // Not set: measured. Else nothing was, or a dry run printed: the exit status.
  absl::optional<int> MeasureOnce(Report* report, Outcome* outcome) {
    if (absl::Status prepared = Prepare(); !prepared.ok()) return Fail(kExitUsage, prepared);
    if (absl::Status armed = measurement_->Arm(); !armed.ok()) return FailWithHosts(armed);
    if (options_.dry_run) return PrintDryRun();
    if (options_.strict && !DryRunIsComplete(measurement_->result())) return FailStrict();
    if (absl::Status started = measurement_->Start(); !started.ok()) return FailWithHosts(started);
    if (child_ != nullptr) {
      progress_.Hide();
      if (absl::Status executed = child_->Start(); !executed.ok()) {
        absl::MutexLock lock(&mutex_);
        measurement_.reset();  // ends the sessions
        return Fail(absl::IsNotFound(executed) ? kExitNotFound : kExitNotExecutable, executed);
      }
    }
    std::thread waiter;
    if (child_ != nullptr) {
      waiter = std::thread([this, outcome] {
        outcome->command_status = child_->Wait();
        measurement_->RequestStop(/*interrupted=*/false);
      });
    }
    *report = client::Aggregate(measurement_->Finish());
    report->metrics = client::EvaluateMetrics(options_.metrics, *report);
    if (options_.smi_cost) client::NoteIdleCpus(report);
    progress_.Hide();
    if (waiter.joinable()) waiter.join();
    Judge(*report, outcome);
    return absl::nullopt;
  }

  // A command of --pre or --post. Its exit status.
  absl::StatusOr<int> Shell(const std::string& command) {
    auto child = ChildCommand::Prepare({"sh", "-c", command}, interrupts_.original_mask());
    if (!child.ok()) return child.status();
    if (absl::Status started = (*child)->Start(); !started.ok()) return started;
    return (*child)->Wait();
  }

  // Around a run: nullopt, or the exit status to end with.
  absl::optional<int> ShellStep(const char* option, const std::string& command) {
    if (command.empty()) return absl::nullopt;
    const absl::StatusOr<int> status = Shell(command);
    if (!status.ok()) return Fail(kExitUsage, status.status());
    if (*status == 0) return absl::nullopt;
    return Fail(kExitUsage, absl::AbortedError(absl::StrCat(option, " \"", command,
                                                            "\" ended with status ", *status)));
  }

  int ExecuteRepeats() {
    client::Repeats repeats;
    Outcome worst;
    absl::optional<int> failed;
    const int64_t all = options_.warmup + options_.repeat;
    for (int64_t run = 0; run < all && !failed && !Interrupted(); ++run) {
      const bool counts = run >= options_.warmup;
      progress_.SetPrefix(
          counts ? absl::StrCat("run ", run - options_.warmup + 1, " of ", options_.repeat, ": ")
                 : absl::StrCat("warm-up ", run + 1, " of ", options_.warmup, ": "));
      Report report;
      Outcome outcome;
      failed = ShellStep("--pre", options_.pre);
      if (!failed) failed = MeasureOnce(&report, &outcome);
      if (!failed) failed = ShellStep("--post", options_.post);
      if (failed || report.result.interrupted || !counts) continue;
      worst.MakeWorse(outcome);
      repeats.Add(std::move(report));
    }
    progress_.Clear();
    if (repeats.reports().empty()) return failed.value_or(128 + InterruptSignal());
    if (Interrupted()) worst.interrupted_by = InterruptSignal();
    const int status = PrintRepeats(repeats, worst);
    return failed.value_or(status);
  }

  int PrintRepeats(const client::Repeats& repeats, const Outcome& outcome) {
    client::RepeatsOptions form;
    form.wanted_runs = options_.repeat;
    form.warmup_runs = options_.warmup;
    form.interrupted = outcome.interrupted_by != 0;
    form.width = Width();
    form.labels = options_.labels;
    const std::string text = options_.format == Format::kJson
                                 ? client::PrintRepeatsJson(repeats, form)
                                 : client::PrintRepeatsTable(repeats, form);
    if (absl::Status written = Write(text); !written.ok()) return Fail(kExitUsage, written);
    return ExitStatusOf(outcome);
  }

  void Judge(const Report& report, Outcome* outcome) const {
    const auto& hosts = report.result.hosts;
    const auto measured = std::count_if(hosts.begin(), hosts.end(),
                                        [](const auto& host) { return host.status.ok(); });
    const bool any_number = std::any_of(report.rows.begin(), report.rows.end(),
                                        [](const auto& row) { return row.contributing_hosts > 0; });
    outcome->enough = measured >= options_.min_hosts && any_number;
    outcome->complete = report.complete;
    outcome->strict = options_.strict;
    if (report.result.interrupted) outcome->interrupted_by = InterruptSignal();
  }

  int Print(const Report& report, const Outcome& outcome) {
    if (absl::Status written = Write(Text(report)); !written.ok()) {
      return Fail(outcome.command_status.value_or(0) != 0 ? *outcome.command_status : kExitUsage,
                  written);
    }
    return ExitStatusOf(outcome);
  }

  std::string Text(const Report& report) const {
    switch (options_.format) {
      case Format::kJson:
        return client::PrintJson(report, {options_.labels, intervals_.has_value()});
      case Format::kCsv:
        return client::PrintCsv(report, CsvForm());
      case Format::kTable:
        break;
    }
    return client::PrintTable(report, {Width(), options_.per_cpu, options_.metrics_only});
  }

  client::CsvOptions CsvForm() const {
    client::CsvOptions form = {options_.separator, options_.per_cpu};
    if (intervals_.has_value()) {
      form.interval = "";
      form.titles = !intervals_->begun();
    }
    return form;
  }

  int PrintDryRun() {
    progress_.Clear();
    const MeasurementResult& result = measurement_->result();
    const std::string text =
        options_.format == Format::kJson ? DryRunJson(result) : DryRunTable(result, Width());
    if (absl::Status written = Write(text); !written.ok()) return Fail(kExitUsage, written);
    Outcome outcome;
    outcome.complete = DryRunIsComplete(result);
    outcome.strict = options_.strict;
    return ExitStatusOf(outcome);
  }

  // The command's output stays the command's: a result beside it goes to the
  // standard error, as with perf stat.
  std::FILE* Stream() const {
    const bool beside_command = !options_.command.empty() && options_.output != "-";
    return beside_command ? environment_.err : environment_.out;
  }

  size_t Width() const {
    const bool to_file = !options_.output.empty() && options_.output != "-";
    return to_file ? kDefaultWidth : OutputWidth(Stream(), kDefaultWidth);
  }

  // As it comes, after what was written before.
  absl::Status Append(const std::string& text) {
    if (options_.output.empty() || options_.output == "-") return WriteStream(Stream(), text);
    if (file_ == nullptr) file_.reset(std::fopen(options_.output.c_str(), "we"));
    if (file_ == nullptr) return absl::ErrnoToStatus(errno, options_.output);
    return WriteStream(file_.get(), text);
  }

  absl::Status Write(const std::string& text) {
    if (intervals_.has_value()) {
      if (!intervals_->status().ok()) return intervals_->status();
      return Append(options_.format == Format::kTable ? "\n" + text : text);
    }
    if (options_.output.empty() || options_.output == "-") return WriteStream(Stream(), text);
    return WriteFileAtomically(options_.output, text);
  }

  int Fail(int exit_status, const absl::Status& status) {
    progress_.Clear();
    PrintError(environment_, absl::string_view(status.message()));
    return exit_status;
  }

  int InterruptSignal() const {
    const int signal = interrupts_.first_signal();
    return signal != 0 ? signal : SIGINT;
  }

  // Fewer hosts than asked for; says why for each.
  int FailWithHosts(const absl::Status& status) {
    progress_.Clear();
    if (absl::IsCancelled(status) || interrupts_.first_signal() != 0) {
      PrintError(environment_, "interrupted before anything was measured");
      return 128 + InterruptSignal();
    }
    std::vector<client::FailedHost> failed;
    for (const client::HostResult& host : measurement_->result().hosts) {
      // Cancelled: given up because of the others.
      if (host.status.ok() || absl::IsCancelled(host.status)) continue;
      failed.push_back({host.host, host.status});
    }
    std::string hosts = client::FailedHostsText(failed, Width());
    if (!hosts.empty()) hosts.pop_back();
    PrintError(environment_,
               absl::StrCat(absl::string_view(status.message()), hosts.empty() ? "" : "\n", hosts));
    return absl::IsInvalidArgument(status) ? kExitUsage : kExitNotEnough;
  }

  int FailStrict() {
    progress_.Clear();
    std::string table = DryRunTable(measurement_->result(), Width());
    table.pop_back();
    PrintError(
        environment_,
        absl::StrCat("nothing measured: --strict, and not every host can count every event\n",
                     table));
    return kExitNotEnough;
  }

  const RunOptions options_;
  const std::vector<std::string> hosts_;
  const Environment& environment_;
  // Members end in reverse order: the interrupt thread before the measurement
  // and the child that it speaks to.
  Progress progress_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  absl::optional<IntervalPrinter> intervals_;
  // Of the run under way; the mutex keeps them in place for the thread of
  // signals, while this thread replaces them.
  absl::Mutex mutex_;
  std::unique_ptr<ChildCommand> child_;
  std::unique_ptr<Measurement> measurement_;
  Interrupts interrupts_;
};

}  // namespace

int RunCommand(const std::vector<std::string>& args, const Environment& environment) {
  absl::StatusOr<RunOptions> options = ParseRunOptions(args);
  if (!options.ok()) {
    PrintError(environment, absl::StrCat(absl::string_view(options.status().message()),
                                         "\nTry `pmuctl help run`."));
    return kExitUsage;
  }
  if (options->help) {
    return WriteStream(environment.out, RunHelp()).ok() ? kExitOk : kExitUsage;
  }
  if (options->list_metrics) {
    return WriteStream(environment.out, MetricListText()).ok() ? kExitOk : kExitUsage;
  }
  absl::optional<std::vector<std::string>> hosts = ResolveHosts(options->hosts, environment);
  if (!hosts) return kExitUsage;
  const std::string events = options->EventText();
  if (const auto parsed = ParseEventList(events); !parsed.ok()) {
    PrintErrorIn(environment, parsed.status(), events);
    return kExitUsage;
  }
  if (!options->output.empty() && options->output != "-") {
    if (absl::Status writable = CheckWritable(options->output); !writable.ok()) {
      PrintError(environment, absl::string_view(writable.message()));
      return kExitUsage;
    }
  }
  if (!options->strict && static_cast<size_t>(options->min_hosts) > hosts->size()) {
    PrintError(environment, absl::StrCat("--min-hosts ", options->min_hosts, " is more than the ",
                                         hosts->size(), " hosts of the list"));
    return kExitUsage;
  }
  return Run(*std::move(options), *std::move(hosts), environment).Execute();
}

}  // namespace pmu::cli
