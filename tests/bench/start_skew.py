#!/usr/bin/env python3
"""How close together agents on this machine really start.

    tests/bench/start_skew.py [--agents N] [--rounds N]

All agents share this machine's clock, so the truth is known: when each says it
enabled its counters. Prints the distribution of the true skew (largest minus
smallest, over the agents of one run) and checks in every run that the skew
pmuctl prints agrees with it within the bound it prints. Run it on a machine
that does nothing else; the figures are for people, not for tests. Build first:
bazel build --config=static //server:pmud //client/cli:pmuctl
"""

import argparse
import json
import subprocess
import sys
import tempfile

import processes


def one_round(hosts, events):
    """(true skew, printed skew, printed bound) of one run, in ns."""
    command = [processes.PMUCTL, "run", "--hosts", hosts, "-e", events,
               "--duration", "50ms", "-j"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"pmuctl failed with {done.returncode}")
    result = json.loads(done.stdout)
    enabled = [int(host["enabled"]["controller_ns"]) + int(host["clock"]["offset_ns"])
               for host in result["hosts"]]
    timing = result["timing"]
    return (max(enabled) - min(enabled), int(timing["start_skew_ns"]),
            int(timing["start_skew_error_ns"]))


def percentile(ordered, share):
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--events", default="task-clock,page-faults")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        with processes.Agents(scratch, options.agents) as agents:
            rounds = [one_round(agents.hosts, options.events) for _ in range(options.rounds)]

    outside = sum(abs(true - printed) > bound for true, printed, bound in rounds)
    true = sorted(true / 1000 for true, _, _ in rounds)
    bound = sorted(bound / 1000 for _, _, bound in rounds)
    print(f"{options.agents} agents, {options.rounds} runs of {options.events}")
    print(f"true start skew, us: p50 {percentile(true, .5):.0f}  p90 {percentile(true, .9):.0f}  "
          f"p99 {percentile(true, .99):.0f}  max {true[-1]:.0f}")
    print(f"printed bound, us:   p50 {percentile(bound, .5):.0f}  p99 {percentile(bound, .99):.0f}")
    print(f"runs whose printed skew is off by more than the printed bound: {outside}")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
