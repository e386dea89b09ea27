// footnotes.h: what is said once, below a table, about many of its cells.
//
// Cells with the same thing to say share a mark; the note names their events
// and hosts, folded. Thread-compatible.
#ifndef PMU_CLIENT_REPORT_FOOTNOTES_H_
#define PMU_CLIENT_REPORT_FOOTNOTES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace pmu::client {

// {"a1","a2"} of 2 hosts in all -> "all hosts"; else folded: "a[1-2]".
std::string HostsText(const std::vector<std::string>& hosts, size_t host_count);

// Which events on which hosts one text is about.
class Mention {
 public:
  explicit Mention(std::string text) : text_(std::move(text)) {}
  // Empty names are left out.
  void Add(const std::string& event, const std::string& host);
  const std::string& text() const { return text_; }
  // "cycles, instructions on n[1-3]: TEXT".
  std::string Sentence(size_t host_count) const;

 private:
  std::string text_;
  std::vector<std::string> events_;
  std::vector<std::string> hosts_;
};

// Distinct texts in order of first mention.
class Mentions {
 public:
  // The index of the text.
  size_t Add(const std::string& text, const std::string& event, const std::string& host);
  const std::vector<Mention>& all() const { return all_; }

 private:
  std::vector<Mention> all_;
};

class Footnotes {
 public:
  // `host_count`: hosts of the report. `width`: of the lines.
  Footnotes(size_t host_count, size_t width) : host_count_(host_count), width_(width) {}

  // Returns the mark: " [1]".
  std::string Add(const std::string& text, const std::string& event, const std::string& host);
  // One note a line, wrapped; "" when there are none.
  std::string ToString() const;

 private:
  size_t host_count_;
  size_t width_;
  Mentions notes_;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_FOOTNOTES_H_
