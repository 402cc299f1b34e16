"""A small laboratory: hosts as namespaces, wired together by cables that can be pulled.

    with Lab() as lab:
        a, b, c = lab.host("a"), lab.host("b"), lab.host("c")
        lab.segment(a, b)
        lab.segment(b, c)          # a and c do not hear each other
        b.start_avahi()
        a.run(["ip", "address"])
        lab.port(c).unplug()

A host has its own network, mount, PID and UTS namespace, and a /run of its own, so that each can
have its own system bus and avahi-daemon. The bridges that join hosts live in a namespace apart, the
switch: nothing is created in the machine's own network.

No namespace has a name. They live as long as the processes inside them, and those die with the
process that made the lab, however it dies; so nothing is ever left to clean up, and any number of
labs run side by side.

The kernel here may have no netem, so loss is an nftables rule at the switch's side of a cable.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIMIT = 60  # seconds for anything here to come up

AVAHI_CONFIGURATION = """\
[server]
host-name={name}
use-ipv4=yes
use-ipv6=yes
enable-dbus=yes
ratelimit-interval-usec=0
[publish]
publish-workstation=no
publish-hinfo=no
[wide-area]
enable-wide-area=no
"""

# Process 1 of a host: sets it up, says so, then only reaps.
INIT = """
set -e
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/dbus /run/lab
hostname "$1"
ip link set lo up
echo ready
while :; do sleep 3600 & wait $! || :; done
"""


class LabError(Exception):
    """The laboratory itself went wrong, not what is tested in it."""


def dies_with_us(command):
    """The command, ended by the kernel when this process ends."""
    return ["setpriv", "--pdeathsig", "KILL", "--", *command]


def unavailable():
    """Why no lab can be made on this machine; None where one can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ["unshare", "nsenter", "setpriv", "ip"]:
        if shutil.which(program) is None:
            return f"no {program} here"
    probe = (
        "ip link add lab-a type veth peer name lab-b && ip link add lab-c type bridge"
        " && ip link set lab-a master lab-c"
    )
    done = subprocess.run(
        ["unshare", "--net", "--mount", "--uts", "--pid", "--fork", "sh", "-c", probe],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT,
    )
    if done.returncode != 0:
        return f"no namespaces with veth and bridge here ({done.stderr.strip()})"
    return None


def loss_unavailable():
    """Why no loss can be made; None where it can."""
    if shutil.which("nft") is None:
        return "no nft here"
    done = subprocess.run(
        ["unshare", "--net", "nft", "add table netdev t; add chain netdev t c "
         "{ type filter hook egress device lo priority 0; }; "
         "add rule netdev t c numgen random mod 100 lt 1 drop"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT,
    )
    return None if done.returncode == 0 else f"nft cannot drop here ({done.stderr.strip()})"


def has_ipv6():
    return os.path.exists("/proc/sys/net/ipv6")


def wait_until(condition, what, limit=LIMIT):
    """Waits until the condition holds and returns what it gave."""
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise LabError(f"{what}: not within {limit} s")
        time.sleep(0.05)


def run(command, **options):
    """Runs a command of the lab's own; its failure is the lab's."""
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT, **options
    )
    if done.returncode != 0:
        raise LabError(f"{' '.join(command)}: {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def start_holder(command):
    """Starts a process that holds namespaces open, once it said that it is ready."""
    process = subprocess.Popen(
        dies_with_us(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )
    line = process.stdout.readline()
    if line.strip() != "ready":
        process.kill()
        raise LabError(f"a namespace did not come up: {line}{process.stdout.read()}")
    return process


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


class Host:
    """One machine of the lab."""

    def __init__(self, name):
        self.name = name
        self.ports = []
        self._holder = start_holder(
            ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child=KILL",
             "--mount-proc", "bash", "-c", INIT, "init", name])
        [self.pid] = children(self._holder.pid)
        self._bus = None
        self._avahi = None

    def inside(self, command):
        """The command line that runs a command on this host; it ends with its caller."""
        return ["nsenter", "-t", str(self.pid), "-m", "-n", "-u", "-p", f"--wd={os.getcwd()}",
                "--", *dies_with_us(command)]

    def run(self, command, **options):
        return run(self.inside(command), **options)

    def start(self, command, **options):
        """Starts a command here. Its process is nsenter; `children` finds the one inside."""
        return subprocess.Popen(dies_with_us(self.inside(command)), **options)

    def mount_small(self, path, size):
        """Mounts a file system of `size` bytes that only this host sees."""
        self.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(path)])

    def start_bus(self):
        if self._bus is not None:
            return
        self._bus = self._daemon(["dbus-daemon", "--system", "--nofork", "--nopidfile",
                                  "--nosyslog"])
        socket = f"/proc/{self.pid}/root/run/dbus/system_bus_socket"
        wait_until(lambda: os.path.exists(socket), f"the system bus of {self.name}")

    def start_avahi(self):
        """Starts the host's avahi-daemon, and its bus where it has none yet."""
        self.start_bus()
        path = f"/proc/{self.pid}/root/run/lab/avahi.conf"
        with open(path, "w") as file:
            file.write(AVAHI_CONFIGURATION.format(name=self.name))
        self._avahi = self._daemon(["avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits",
                                    "--no-proc-title", "-f", "/run/lab/avahi.conf"])
        wait_until(
            lambda: subprocess.run(self.inside(["avahi-daemon", "-c"]),
                                   stderr=subprocess.DEVNULL).returncode == 0,
            f"the avahi-daemon of {self.name}")

    def stop_avahi(self, by=signal.SIGTERM):
        """Ends the avahi-daemon: SIGTERM says goodbye on the network, SIGKILL does not."""
        for child in children(self._avahi.pid):
            os.kill(child, by)
        self._avahi.wait(LIMIT)
        self._avahi = None
        if by == signal.SIGKILL:
            # A killed daemon leaves these; the next one would take the pid file for a live twin.
            self.run(["rm", "-rf", "/run/avahi-daemon"])

    def addresses(self, family="inet", device="eth0"):
        flag = "-4" if family == "inet" else "-6"
        lines = self.run(["ip", flag, "-o", "address", "show", "dev", device]).splitlines()
        return [line.split()[3].split("/")[0] for line in lines]

    def wait_for_link_local(self, device="eth0"):
        """Waits until duplicate address detection let the fe80 address through."""
        def settled():
            lines = self.run(["ip", "-6", "-o", "address", "show", "dev", device, "scope", "link"])
            return lines and "tentative" not in lines
        wait_until(settled, f"a link-local address on {self.name}")

    def _daemon(self, command):
        return self.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)

    def close(self):
        self._holder.kill()
        self._holder.wait()
        self._holder.stdout.close()
        for process in (self._bus, self._avahi):
            if process is not None:
                process.wait()


class Port:
    """Where a host's cable ends in the switch."""

    def __init__(self, lab, host, bridge, name, device):
        self.lab, self.host, self.bridge, self.name, self.device = lab, host, bridge, name, device

    def cut(self):
        """Loses everything in silence; the host still sees a carrier."""
        self.lab.switch(["ip", "link", "set", self.name, "nomaster"])

    def unplug(self):
        """Takes the carrier away."""
        self.lab.switch(["ip", "link", "set", self.name, "down"])

    def join(self):
        """Undoes `cut` and `unplug`."""
        self.lab.switch(["ip", "link", "set", self.name, "master", self.bridge, "up"])

    def lose(self, percent, direction="both"):
        """Drops frames at random; direction `out` is from the host, `in` towards it; 0 undoes."""
        table = self.name.replace(".", "_")
        rules = [f"add table netdev {table}", f"delete table netdev {table}"]
        hooks = {"out": ["ingress"], "in": ["egress"], "both": ["ingress", "egress"]}[direction]
        if percent > 0:
            rules.append(f"add table netdev {table}")
            for hook in hooks:
                rules.append(f"add chain netdev {table} {hook} {{ type filter hook {hook} "
                             f'device "{self.name}" priority 0; }}')
                chance = f"numgen random mod 10000 lt {int(percent * 100)}" if percent < 100 else ""
                rules.append(f"add rule netdev {table} {hook} {chance} counter drop")
        self.lab.switch(["nft", "\n".join(rules)])


    def drop_datagrams(self, direction="both"):
        """Drops UDP but for mDNS, as a firewall would: direct roads die, links live; None undoes."""
        table = self.name.replace(".", "_") + "_udp"
        rules = [f"add table netdev {table}", f"delete table netdev {table}"]
        hooks = {None: [], "out": ["ingress"], "in": ["egress"], "both": ["ingress", "egress"]}
        if hooks[direction]:
            rules.append(f"add table netdev {table}")
        for hook in hooks[direction]:
            rules.append(f"add chain netdev {table} {hook} {{ type filter hook {hook} "
                         f'device "{self.name}" priority 0; }}')
            rules.append(f"add rule netdev {table} {hook} meta l4proto udp udp dport != 5353 drop")
        self.lab.switch(["nft", "\n".join(rules)])


class Lab:
    """Hosts and the segments that join them."""

    def __init__(self):
        self._hosts = []
        self._segments = 0
        self._switch = start_holder(
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep inf"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def switch(self, command):
        return run(["nsenter", "-t", str(self._switch.pid), "-n", "--", *command])

    def host(self, name):
        host = Host(name)
        self._hosts.append(host)
        return host

    def segment(self, *hosts, ipv4=True):
        """Joins hosts by one bridge; their addresses are 10.77.SEGMENT.N and fe80::."""
        self._segments += 1
        number, bridge = self._segments, f"b{self._segments}"
        self.switch(["ip", "link", "add", bridge, "type", "bridge", "mcast_snooping", "0",
                     "forward_delay", "0"])
        self.switch(["ip", "link", "set", bridge, "up"])
        for index, host in enumerate(hosts, 1):
            device, name = f"eth{len(host.ports)}", f"{host.name}.{number}"
            self.switch(["ip", "link", "add", name, "type", "veth", "peer", "name", device,
                         "netns", str(host.pid)])
            self.switch(["ip", "link", "set", name, "master", bridge, "up"])
            if ipv4:
                host.run(["ip", "address", "add", f"10.77.{number}.{index}/24", "dev", device])
            host.run(["ip", "link", "set", device, "up"])
            host.ports.append(Port(self, host, bridge, name, device))

    def chain(self, *names, **options):
        """Hosts in a row, each joined to the next alone."""
        hosts = [self.host(name) for name in names]
        for left, right in zip(hosts, hosts[1:]):
            self.segment(left, right, **options)
        return hosts

    def port(self, host, index=0):
        return host.ports[index]

    def close(self):
        for host in self._hosts:
            host.close()
        self._switch.kill()
        self._switch.wait()
        self._switch.stdout.close()


def set_parent_death_signal():
    """Makes this process end when its parent does."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
