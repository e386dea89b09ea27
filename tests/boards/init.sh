#!/bin/sh
# The first process of a board: drivers, network, the agent. Words of the kernel
# command line: pmud.OPTION is given to the agent as --OPTION.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs tmp /tmp
# The kernel counts for cgroups below the root once any controller was handed down.
mount -t cgroup2 cgroup /sys/fs/cgroup && echo +pids >/sys/fs/cgroup/cgroup.subtree_control &&
  mkdir /sys/fs/cgroup/resting
while read -r module; do insmod "/modules/$module" || echo "insmod $module failed"; done </modules/order
ip link set lo up
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
options=
for word in $(cat /proc/cmdline); do
  case $word in pmud.*) options="$options --${word#pmud.}" ;; esac
done
# Answers a number on port 50052 with "done", after so many SMIs on CPU 0.
if [ -x /bin/trigger_smi ]; then
  mkfifo /tmp/answer
  while :; do
    nc -l -p 50052 </tmp/answer | {
      read -r count
      taskset 1 trigger_smi "$count" && echo done
    } >/tmp/answer
  done &
fi
# On port 50053: "cpu N" takes that CPU offline for two seconds; "clock SECONDS"
# sets the wall clock forward, or back.
mkfifo /tmp/answer2
while :; do
  nc -l -p 50053 </tmp/answer2 | {
    read -r what value
    case $what in
    cpu)
      online=/sys/devices/system/cpu/cpu$value/online
      echo 0 >"$online" && sleep 2 && echo 1 >"$online" && echo done
      ;;
    clock) date -s "@$(($(date +%s) + value))" >/dev/null && echo done ;;
    esac
  } >/tmp/answer2
done &
# shellcheck disable=SC2086 # one word per option
pmud --listen=10.0.2.15:50051 --insecure --state-dir=/tmp/state $options
echo "pmud ended with $?"
poweroff -f
