// metric_expr.h: derived values, written as formulas over event names.
//
//   definition := NAME [ '[' UNIT ']' ] [ 'per' ( 'cpu' | 'host' ) ] '=' value
//   value      := sum [ 'if' sum ( '<' | '>' ) sum 'else' value ]
//   sum        := product { ( '+' | '-' ) product }
//   product    := factor { ( '*' | '/' ) factor }
//   factor     := NUMBER | INPUT | '-' factor | '(' value ')'
//
// An INPUT is an event by its name: bare when it is a plain identifier
// (instructions), else in quotes ("msr/aperf/", "cpu-cycles"). NAME may hold
// hyphens. 'per cpu' means: computed for each CPU from that CPU's own counts;
// 'per host' (the default): from the host's sums.
//
//   ipc = instructions / cycles
//   smi-cycles [%] = 100 * ("msr/aperf/" - cycles) / "msr/aperf/"
//                    if "msr/smi/" > 0 else 0
//
// Immutable once parsed; safe from any thread.
#ifndef PMU_COMMON_METRIC_EXPR_H_
#define PMU_COMMON_METRIC_EXPR_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace pmu {

// Limits on one definition; beyond them parsing fails.
inline constexpr size_t kMaxMetricBytes = 4096;
inline constexpr int kMaxMetricDepth = 64;

// What a formula came to: a finite number, or why there is none.
struct MetricValue {
  absl::optional<double> number;
  // "not counted: cycles" (an input without a number), "division by zero",
  // "out of range" (beyond a double); empty when there is a number.
  std::string reason;
};

class MetricExpr {
 public:
  enum class Scope { kPerHost, kPerCpu };

  // INVALID_ARGUMENT: what is wrong, the token and its position (from 1).
  static absl::StatusOr<MetricExpr> Parse(absl::string_view definition);

  const std::string& name() const { return name_; }
  const std::string& unit() const { return unit_; }
  Scope scope() const { return scope_; }
  // The part after '=', as written.
  const std::string& formula() const { return formula_; }
  // Events the formula needs, each once, in order of first mention.
  const std::vector<std::string>& inputs() const { return inputs_; }

  // `lookup(i)` gives the number of inputs()[i], nullopt when it has none.
  // Only inputs that the taken branch needs count as missing.
  MetricValue Evaluate(const std::function<absl::optional<double>(size_t)>& lookup) const;

 private:
  friend class MetricParser;

  enum class Op { kNumber, kInput, kNegate, kAdd, kSubtract, kMultiply, kDivide, kLess, kSelect };
  // The formula as a tree in an array. Operands are indices of nodes; kSelect:
  // condition, then, else; kLess: left < right.
  struct Node {
    Op op = Op::kNumber;
    double number = 0;
    size_t operands[3] = {0, 0, 0};  // kInput: operands[0] indexes inputs_
  };

  MetricExpr() = default;
  MetricValue EvaluateNode(size_t index,
                           const std::function<absl::optional<double>(size_t)>& lookup) const;

  std::string name_;
  std::string unit_;
  Scope scope_ = Scope::kPerHost;
  std::string formula_;
  std::vector<std::string> inputs_;
  std::vector<Node> nodes_;
  size_t root_ = 0;
};

}  // namespace pmu

#endif  // PMU_COMMON_METRIC_EXPR_H_
