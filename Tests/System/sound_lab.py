"""A room without a sound card: a private sound server whose loudspeaker is heard by its microphone.

    with SoundLab(echo=60) as lab:
        Sound("--echo", "nlms", env=lab.environment)

The programs in it use libasound as ever; its `default` leads to the server. What is played there
comes back in the microphone `echo` milliseconds later and `gain` dB lower; what is played on the
device `room` is heard by the microphone alone, as somebody who talks in the room.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time

LIMIT = 20  # seconds for anything here to come up

ASOUND = """\
pcm.!default { type pulse }
ctl.!default { type pulse }
pcm.room { type pulse device "room" }
pcm.cancelled { type pulse device "room.monitor" }
pcm.hw48 { type plug slave { pcm "default" rate 48000 } }
"""


def missing():
    """Why there can be no sound lab here, or None."""
    for program in ("pulseaudio", "pactl", "pacat"):
        if not shutil.which(program):
            return f"{program} is missing (debian-packages.txt, section test)"
    plugin = "alsa-lib/libasound_module_pcm_pulse.so"
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"):
        if os.path.exists(f"{folder}/{plugin}"):
            return None
    return "libasound's plug-in for PulseAudio is missing (debian-packages.txt, section test)"


class SoundLab:
    def __init__(self, echo=60, gain=-6):
        self.echo, self.gain = echo, gain
        self.folder = tempfile.mkdtemp(prefix="airlink-sound-lab-")
        self.socket = f"{self.folder}/native"
        with open(f"{self.folder}/asound.conf", "w") as file:
            file.write(ASOUND)
        # PULSE_LATENCY_MSEC stays unset: libasound's own buffers count.
        self.environment = {
            **{name: value for name, value in os.environ.items()
               if not name.startswith(("PULSE_", "DBUS_"))},
            "ALSA_CONFIG_PATH": f"{self.folder}/asound.conf", "HOME": self.folder,
            "XDG_RUNTIME_DIR": self.folder, "PULSE_RUNTIME_PATH": self.folder,
            "PULSE_SERVER": f"unix:{self.socket}", "PULSE_COOKIE": f"{self.folder}/cookie",
        }
        self.server, self.helpers = None, []
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Starts the server, as after a crash."""
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        sinks = [f"module-null-sink sink_name={name} rate=48000 channels=1"
                 for name in ("speaker", "room")]
        modules = [*sinks, f"module-native-protocol-unix socket={self.socket} auth-anonymous=1"]
        with open(f"{self.folder}/log", "ab") as log:
            self.server = subprocess.Popen(
                ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--system=no",
                 "--disable-shm", "--realtime=no", "--high-priority=no", "--exit-idle-time=-1",
                 "--log-target=stderr", *[word for module in modules for word in ("-L", module)]],
                env={**self.environment, "PULSE_SERVER": ""}, stderr=log, stdin=subprocess.DEVNULL)
        self.wait(lambda: os.path.exists(self.socket) and self.pactl("info", check=False))
        self.pactl("set-default-sink", "speaker")
        self.pactl("set-default-source", "room.monitor")
        # A null sink to which nobody listens closely plays in blocks of up to 2 s.
        for sink in ("speaker", "room"):
            self.helpers.append(subprocess.Popen(
                ["pacat", "--playback", f"--device={sink}", "--latency-msec=10", "--rate=48000",
                 "--channels=1", "/dev/zero"], env=self.environment, stderr=subprocess.DEVNULL))
        time.sleep(2)  # the length of the first block
        if self.echo:
            self.pactl("load-module", "module-loopback", "source=speaker.monitor", "sink=room",
                       f"latency_msec={self.echo}", "adjust_time=0", "source_dont_move=true",
                       "sink_dont_move=true")
            self.wait(self.loopback)
            self.pactl("set-sink-input-volume", self.loopback(), f"{self.gain}dB")

    def loopback(self):
        for line in self.pactl("list", "short", "sink-inputs").splitlines():
            fields = line.split()
            if len(fields) >= 3 and fields[2] == "-":
                return fields[0]
        return None

    def kill(self):
        """Ends the server and all that belongs to it, suddenly."""
        for process in [*self.helpers, self.server]:
            if process and process.poll() is None:
                process.kill()
                process.wait()
        self.helpers = []

    def pause(self, seconds):
        """Holds the server up for a time."""
        self.server.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            self.server.send_signal(signal.SIGCONT)

    def pactl(self, *words, check=True):
        try:
            run = subprocess.run(["pactl", *words], env=self.environment, capture_output=True,
                                 text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            if check:
                raise
            return ""
        if check and run.returncode:
            raise AssertionError(f"pactl {' '.join(words)}: {run.stderr}")
        return run.stdout

    def wait(self, until):
        end = time.monotonic() + LIMIT
        while not until():
            if time.monotonic() > end:
                with open(f"{self.folder}/log") as log:
                    raise AssertionError(f"the sound server does not come up:\n{log.read()}")
            time.sleep(0.05)
