#!/usr/bin/python3
"""Carries the packets of a node's capture over Bluetooth, for captures of real tools.

    Tests/System/bluetooth_exchange.py PACKETS OUT

PACKETS is what `airlink-packetdump --json -x` makes of a node's capture, OUT the btsnoop file that
btmon writes meanwhile. Wants a machine with two adapters that hear each other (BlueZ's btvirt makes
such), bluetoothd, btmon, python3-dbus and python3-gi. The first adapter offers AirLink's service and
notifies what came in, the second finds it, connects, and writes what went out: over the daemon, in
chunks as section 8 of the protocol has them.
"""

import json
import os
import signal
import subprocess
import sys
import time

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

SERVICE = "6815884a-e285-42a0-b190-844d55a9d41d"
INBOX = "bcbb5819-8047-490d-8780-e8c57ca9b403"
OUTBOX = "2de34279-9563-4552-a5e9-792ece6967ef"
PROPERTIES = "org.freedesktop.DBus.Properties"
MANAGER = "org.freedesktop.DBus.ObjectManager"
BLUEZ = "org.bluez"
NAMES = {name: f"org.bluez.{name}1" for name in
         ("Adapter", "Device", "GattService", "GattCharacteristic", "LEAdvertisement")}
CHUNK = 180
LIMIT = 120


def chunks(path, direction):
    """Each packet begins in a chunk of its own."""
    with open(path, encoding="utf-8") as file:
        packets = [json.loads(line) for line in file]
    for packet in packets:
        if packet["direction"] == direction:
            data = bytes.fromhex(packet["bytes"])
            for start in range(0, len(data), CHUNK):
                yield dbus.Array(data[start:start + CHUNK], "y")


class Exported(dbus.service.Object):
    """An object on the bus with properties that nobody changes."""

    def __init__(self, bus, path, interface, properties):
        self.interface, self.properties = interface, properties
        super().__init__(bus, path)

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, gone):
        pass

    @dbus.service.method(NAMES["LEAdvertisement"])
    def Release(self):
        pass


class Characteristic(Exported):
    got = 0
    outgoing = None

    @dbus.service.method(NAMES["GattCharacteristic"], in_signature="aya{sv}")
    def WriteValue(self, value, _):
        Characteristic.got += len(value)

    @dbus.service.method(NAMES["GattCharacteristic"])
    def StartNotify(self):
        def send():
            value = next(self.outgoing, None)
            if value is not None:
                self.PropertiesChanged(self.interface, {"Value": value}, [])
            return value is not None
        GLib.timeout_add(50, send)

    @dbus.service.method(NAMES["GattCharacteristic"])
    def StopNotify(self):
        pass


class Application(dbus.service.Object):
    parts = ()

    @dbus.service.method(MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {part._object_path: {part.interface: part.properties} for part in self.parts}


def offer(bus, adapter, path):
    """The peripheral's half."""
    def object_path(text):
        return dbus.ObjectPath(text)
    kind = NAMES["GattCharacteristic"]
    inbox = Characteristic(bus, "/airlink/s/inbox", kind, {
        "UUID": INBOX, "Service": object_path("/airlink/s"),
        "Flags": dbus.Array(["write-without-response", "write"], "s")})
    outbox = Characteristic(bus, "/airlink/s/outbox", kind, {
        "UUID": OUTBOX, "Service": object_path("/airlink/s"), "Flags": dbus.Array(["notify"], "s")})
    outbox.outgoing = chunks(path, "in")
    application = Application(bus, "/airlink")
    application.parts = [
        Exported(bus, "/airlink/s", NAMES["GattService"], {"UUID": SERVICE, "Primary": True}),
        inbox, outbox]
    advertisement = Exported(bus, "/airlink/adv", NAMES["LEAdvertisement"], {
        "Type": "peripheral", "ServiceUUIDs": dbus.Array([SERVICE], "s")})
    device = bus.get_object(BLUEZ, f"/org/bluez/{adapter}")
    for manager, method, what in (
            ("GattManager1", "RegisterApplication", "/airlink"),
            ("LEAdvertisingManager1", "RegisterAdvertisement", "/airlink/adv")):
        dbus.Interface(device, f"org.bluez.{manager}").get_dbus_method(method)(
            what, {}, reply_handler=lambda: None, error_handler=lambda error: sys.exit(str(error)))
    return application, advertisement


class Central:
    """Finds by the service, connects, subscribes, writes."""

    def __init__(self, bus, adapter, path):
        self.bus, self.adapter, self.outgoing = bus, adapter, chunks(path, "out")
        self.isConnecting = self.isUsed = False
        self.got = 0
        bus.add_signal_receiver(lambda *_: self.look(), "InterfacesAdded", MANAGER, BLUEZ)
        bus.add_signal_receiver(lambda *_: self.look(), "PropertiesChanged", PROPERTIES, BLUEZ,
                                arg0=NAMES["Device"])
        self.radio = dbus.Interface(bus.get_object(BLUEZ, f"/org/bluez/{adapter}"),
                                    NAMES["Adapter"])
        self.radio.SetDiscoveryFilter({"UUIDs": dbus.Array([SERVICE], "s"), "Transport": "le"})
        self.radio.StartDiscovery()
        self.look()

    def look(self):
        objects = dbus.Interface(self.bus.get_object(BLUEZ, "/"), MANAGER).GetManagedObjects()
        for path, interfaces in objects.items():
            device = interfaces.get(NAMES["Device"])
            if not device or not path.startswith(f"/org/bluez/{self.adapter}/"):
                continue
            if SERVICE in device["UUIDs"] and not device["Connected"] and not self.isConnecting:
                self.isConnecting = True
                self.radio.StopDiscovery()
                dbus.Interface(self.bus.get_object(BLUEZ, path), NAMES["Device"]).Connect(
                    reply_handler=lambda: None, error_handler=lambda error: sys.exit(str(error)))
            if device["ServicesResolved"] and not self.isUsed:
                kind = NAMES["GattCharacteristic"]
                found = {str(parts[kind]["UUID"]): where for where, parts in objects.items()
                         if kind in parts and where.startswith(path + "/")}
                if INBOX in found and OUTBOX in found:
                    self.isUsed = True
                    self.use(found[INBOX], found[OUTBOX])

    def use(self, inbox, outbox):
        inbox, place = (dbus.Interface(self.bus.get_object(BLUEZ, path),
                                       NAMES["GattCharacteristic"]) for path in (inbox, outbox))

        def heard(_, changed, __):
            self.got += len(changed.get("Value", b""))

        def write():
            value = next(self.outgoing, None)
            if value is not None:
                inbox.WriteValue(value, {"type": "command"}, reply_handler=write,
                                 error_handler=lambda error: sys.exit(str(error)))
        self.bus.add_signal_receiver(heard, "PropertiesChanged", PROPERTIES, BLUEZ, outbox)
        place.StartNotify(reply_handler=write, error_handler=lambda error: sys.exit(str(error)))


def run(role, path):
    DBusGMainLoop(set_as_default=True)
    bus, loop = dbus.SystemBus(), GLib.MainLoop()
    wanted = sum(len(chunk) for chunk in chunks(path, "out" if role == "hci0" else "in"))
    half = offer(bus, role, path) if role == "hci0" else Central(bus, role, path)

    def done():
        got = Characteristic.got if role == "hci0" else half.got
        if got >= wanted:
            GLib.timeout_add_seconds(3, loop.quit)
        return got < wanted
    GLib.timeout_add(100, done)
    GLib.timeout_add_seconds(LIMIT, lambda: sys.exit(f"{role}: not everything came"))
    loop.run()


def main():
    packets, out = sys.argv[1:3]
    if len(sys.argv) == 4:
        return run(sys.argv[3], packets)
    monitor = subprocess.Popen(["btmon", "-w", out], stdout=subprocess.DEVNULL)
    time.sleep(2)
    halves = [subprocess.Popen([sys.executable, __file__, packets, out, role])
              for role in ("hci0", "hci1")]
    codes = [half.wait() for half in halves]
    time.sleep(1)
    monitor.send_signal(signal.SIGINT)
    monitor.wait(LIMIT)
    os.sync()
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
