// pmuctl: one synchronized measurement over many hosts.
#include "client/cli/commands.h"

int main(int argc, char** argv) {
  // No setlocale(3): output is the same in every locale.
  return pmu::cli::PmuctlMain(std::vector<std::string>(argv + 1, argv + argc),
                              pmu::cli::SystemEnvironment());
}
