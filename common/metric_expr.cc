#include "common/metric_expr.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace pmu {
namespace {

bool IsWordStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == ':'; }

}  // namespace

// Recursive descent over one definition; the depth is bounded, since
// definitions may come from files of unknown origin.
class MetricParser {
 public:
  explicit MetricParser(absl::string_view text) : text_(text) {}

  absl::StatusOr<MetricExpr> Parse();

 private:
  using Op = MetricExpr::Op;
  using Node = MetricExpr::Node;

  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("metric, position ", position_ + 1, ": ", what, " in \"", text_, "\""));
  }
  void SkipSpace() {
    while (position_ < text_.size() && absl::ascii_isspace(text_[position_])) ++position_;
  }
  char Peek() {
    SkipSpace();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++position_;
    return true;
  }
  // The identifier ahead, not taken; empty when there is none.
  absl::string_view PeekWord() {
    if (!IsWordStart(Peek())) return {};
    size_t end = position_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    return text_.substr(position_, end - position_);
  }
  bool TakeWord(absl::string_view word) {
    if (PeekWord() != word) return false;
    position_ += word.size();
    return true;
  }

  absl::Status ParseHead();
  absl::StatusOr<size_t> ParseValue();
  absl::StatusOr<size_t> ParseSum();
  absl::StatusOr<size_t> ParseProduct();
  absl::StatusOr<size_t> ParseFactor();
  absl::StatusOr<size_t> ParseNumber();
  absl::StatusOr<size_t> ParseQuoted(char quote);
  size_t Input(absl::string_view name);
  size_t AddNode(Op op, size_t a = 0, size_t b = 0, size_t c = 0) {
    expr_.nodes_.push_back(Node{op, 0, {a, b, c}});
    return expr_.nodes_.size() - 1;
  }

  absl::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  MetricExpr expr_;
};

absl::StatusOr<MetricExpr> MetricParser::Parse() {
  if (text_.size() > kMaxMetricBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("metric: ", text_.size(), " bytes are above the limit of ", kMaxMetricBytes));
  }
  if (absl::Status status = ParseHead(); !status.ok()) return status;
  SkipSpace();
  expr_.formula_ = std::string(absl::StripAsciiWhitespace(text_.substr(position_)));
  absl::StatusOr<size_t> root = ParseValue();
  if (!root.ok()) return root.status();
  if (Peek() != '\0' || position_ < text_.size()) return Error("an operator is missing");
  expr_.root_ = *root;
  return std::move(expr_);
}

absl::Status MetricParser::ParseHead() {
  if (!IsWordStart(Peek())) return Error("a name is missing");
  const size_t begin = position_;
  while (position_ < text_.size() && (IsWord(text_[position_]) || text_[position_] == '-')) {
    ++position_;
  }
  expr_.name_ = std::string(text_.substr(begin, position_ - begin));
  if (Take('[')) {
    const size_t end = text_.find(']', position_);
    if (end == absl::string_view::npos) return Error("']' is missing after the unit");
    expr_.unit_ = std::string(absl::StripAsciiWhitespace(text_.substr(position_, end - position_)));
    position_ = end + 1;
  }
  if (TakeWord("per")) {
    if (TakeWord("cpu")) {
      expr_.scope_ = MetricExpr::Scope::kPerCpu;
    } else if (!TakeWord("host")) {
      return Error("'per' takes cpu or host");
    }
  }
  if (!Take('=')) return Error("'=' is missing after the name");
  return absl::OkStatus();
}

absl::StatusOr<size_t> MetricParser::ParseValue() {
  if (++depth_ > kMaxMetricDepth) return Error("nested too deeply");
  absl::StatusOr<size_t> chosen = ParseSum();
  if (!chosen.ok()) return chosen;
  if (TakeWord("if")) {
    absl::StatusOr<size_t> left = ParseSum();
    if (!left.ok()) return left;
    const bool less = Take('<');
    if (!less && !Take('>')) return Error("'<' or '>' is missing after 'if'");
    absl::StatusOr<size_t> right = ParseSum();
    if (!right.ok()) return right;
    if (!TakeWord("else")) return Error("'else' is missing");
    absl::StatusOr<size_t> otherwise = ParseValue();
    if (!otherwise.ok()) return otherwise;
    const size_t condition =
        less ? AddNode(Op::kLess, *left, *right) : AddNode(Op::kLess, *right, *left);
    chosen = AddNode(Op::kSelect, condition, *chosen, *otherwise);
  }
  --depth_;
  return chosen;
}

absl::StatusOr<size_t> MetricParser::ParseSum() {
  absl::StatusOr<size_t> left = ParseProduct();
  while (left.ok() && (Peek() == '+' || Peek() == '-')) {
    const Op op = text_[position_++] == '+' ? Op::kAdd : Op::kSubtract;
    absl::StatusOr<size_t> right = ParseProduct();
    if (!right.ok()) return right;
    left = AddNode(op, *left, *right);
  }
  return left;
}

absl::StatusOr<size_t> MetricParser::ParseProduct() {
  absl::StatusOr<size_t> left = ParseFactor();
  while (left.ok() && (Peek() == '*' || Peek() == '/')) {
    const Op op = text_[position_++] == '*' ? Op::kMultiply : Op::kDivide;
    absl::StatusOr<size_t> right = ParseFactor();
    if (!right.ok()) return right;
    left = AddNode(op, *left, *right);
  }
  return left;
}

absl::StatusOr<size_t> MetricParser::ParseFactor() {
  const char c = Peek();
  if (absl::ascii_isdigit(c)) return ParseNumber();
  if (c == '"' || c == '\'') return ParseQuoted(c);
  if (c == '-') {
    ++position_;
    if (++depth_ > kMaxMetricDepth) return Error("nested too deeply");
    absl::StatusOr<size_t> operand = ParseFactor();
    --depth_;
    if (!operand.ok()) return operand;
    return AddNode(Op::kNegate, *operand);
  }
  if (c == '(') {
    ++position_;
    absl::StatusOr<size_t> inner = ParseValue();
    if (!inner.ok()) return inner;
    if (!Take(')')) return Error("')' is missing");
    return inner;
  }
  const absl::string_view word = PeekWord();
  if (word.empty() || word == "if" || word == "else") {
    return Error("a number, an event or '(' is missing");
  }
  position_ += word.size();
  return Input(word);
}

absl::StatusOr<size_t> MetricParser::ParseNumber() {
  size_t end = position_;
  while (end < text_.size() && (absl::ascii_isalnum(text_[end]) || text_[end] == '.' ||
                                ((text_[end] == '-' || text_[end] == '+') &&
                                 (text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
    ++end;
  }
  double number = 0;
  if (!absl::SimpleAtod(text_.substr(position_, end - position_), &number) ||
      !std::isfinite(number)) {
    return Error("not a number");
  }
  position_ = end;
  const size_t node = AddNode(Op::kNumber);
  expr_.nodes_[node].number = number;
  return node;
}

absl::StatusOr<size_t> MetricParser::ParseQuoted(char quote) {
  const size_t end = text_.find(quote, position_ + 1);
  if (end == absl::string_view::npos) return Error("closing quote is missing");
  const absl::string_view name = text_.substr(position_ + 1, end - position_ - 1);
  if (name.empty()) return Error("an empty event name");
  position_ = end + 1;
  return Input(name);
}

size_t MetricParser::Input(absl::string_view name) {
  std::vector<std::string>& inputs = expr_.inputs_;
  const auto known = std::find(inputs.begin(), inputs.end(), name);
  const size_t index = known - inputs.begin();
  if (known == inputs.end()) inputs.emplace_back(name);
  return AddNode(Op::kInput, index);
}

absl::StatusOr<MetricExpr> MetricExpr::Parse(absl::string_view definition) {
  return MetricParser(definition).Parse();
}

MetricValue MetricExpr::Evaluate(
    const std::function<absl::optional<double>(size_t)>& lookup) const {
  return EvaluateNode(root_, lookup);
}

MetricValue MetricExpr::EvaluateNode(
    size_t index, const std::function<absl::optional<double>(size_t)>& lookup) const {
  const Node& node = nodes_[index];
  if (node.op == Op::kNumber) return {node.number, ""};
  if (node.op == Op::kInput) {
    absl::optional<double> number = lookup(node.operands[0]);
    if (number.has_value()) return {number, ""};
    return {absl::nullopt, absl::StrCat("not counted: ", inputs_[node.operands[0]])};
  }
  MetricValue left = EvaluateNode(node.operands[0], lookup);
  if (!left.number.has_value()) return left;
  if (node.op == Op::kNegate) return {-*left.number, ""};
  if (node.op == Op::kSelect) {
    return EvaluateNode(node.operands[*left.number != 0 ? 1 : 2], lookup);
  }
  MetricValue right = EvaluateNode(node.operands[1], lookup);
  if (!right.number.has_value()) return right;
  const double a = *left.number;
  const double b = *right.number;
  double number = 0;
  switch (node.op) {
    case Op::kAdd:
      number = a + b;
      break;
    case Op::kSubtract:
      number = a - b;
      break;
    case Op::kMultiply:
      number = a * b;
      break;
    case Op::kLess:
      number = a < b ? 1 : 0;
      break;
    default:
      if (b == 0) return {absl::nullopt, "division by zero"};
      number = a / b;
  }
  if (!std::isfinite(number)) return {absl::nullopt, "out of range"};
  return {number, ""};
}

}  // namespace pmu
