"""What must hold of every result of `pmuctl run -j`, whatever happened."""

# The counts of a clock may differ from the time measured by this much: a held-up
# agent disables its counters one after the other.
SHARE_SLACK = 0.02
NS_SLACK = 50_000_000

EXIT_COMPLETE = 0
EXIT_INCOMPLETE = 122


def problems(result, hosts, cpus, status, interrupted):
    """What is wrong, a line each; an empty list is right."""
    found = []
    listed = [host["host"] for host in result["hosts"]]
    if listed != hosts:
        found.append(f"hosts {listed} instead of {hosts}")
    all_ok = all(host["status"]["code"] == "OK" for host in result["hosts"])
    if result["complete"] and not all_ok:
        found.append("complete, though a host failed")
    if status == EXIT_COMPLETE and not (result["complete"] or interrupted):
        found.append("exit status 0, though not complete")
    if status == EXIT_INCOMPLETE and result["complete"]:
        found.append(f"exit status {status}, though complete")
    for host in result["hosts"]:
        if host["status"]["code"] != "OK":
            if not host["status"]["message"]:
                found.append(f"{host['host']} failed without a reason")
            continue
        found += host_problems(host, cpus)
    for row in result["events"]:
        found += total_problems(row)
    return found


def host_problems(host, cpus):
    found = []
    measured_ns = int(host["measured_ns"])
    for counter in host["counters"]:
        if counter["event"] != "task-clock":
            continue
        counted = sum(int(reading["raw_count"]) for reading in counter["readings"])
        right = measured_ns * cpus
        if abs(counted - right) > right * SHARE_SLACK + NS_SLACK:
            found.append(f"{host['host']}: task-clock {counted} ns in {measured_ns} ns "
                         f"on {cpus} CPUs")
    return found


def total_problems(row):
    """A total is the sum of what its hosts show, and says how many these are."""
    if not row["summable"]:
        return []
    counts = [int(host["count"]) for host in row["hosts"] if host["count"] is not None]
    total = row["total"]
    found = []
    if total["count"] is not None and int(total["count"]) != sum(counts):
        found.append(f"{row['event']}: total {total['count']} is not the sum {sum(counts)}")
    if total["contributing_hosts"] != len(counts):
        found.append(f"{row['event']}: {total['contributing_hosts']} hosts in the total, "
                     f"{len(counts)} have a count")
    return found
