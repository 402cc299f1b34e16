#!/usr/bin/python3
"""A hostile device on one controller: central or peripheral, by what its first argument says.

    stranger.py writes|flood|storm hci2 00:AA:01:00:00:00
    stranger.py layout hci2
"""

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
CHARACTERISTIC = "org.bluez.GattCharacteristic1"

DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
what, adapter = sys.argv[1:3]
adapter_path = f"/org/bluez/{adapter}"


def objects():
    return dbus.Interface(bus.get_object("org.bluez", "/"), MANAGER).GetManagedObjects()


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.3)
    sys.exit("gave up")


def connected(address):
    """The inbox and outbox of a device, connected."""
    device = f"{adapter_path}/dev_{address.replace(':', '_')}"
    radio = dbus.Interface(bus.get_object("org.bluez", adapter_path), "org.bluez.Adapter1")
    if device not in objects():
        radio.SetDiscoveryFilter({"Transport": "le"})
        radio.StartDiscovery()
        until(lambda: device in objects())
        radio.StopDiscovery()
    def connect():
        try:
            dbus.Interface(bus.get_object("org.bluez", device), "org.bluez.Device1").Connect()
            return True
        except dbus.DBusException as error:
            print(error)
            return False
    until(connect)
    def found():
        ours = {str(interfaces[CHARACTERISTIC]["UUID"]): path
                for path, interfaces in objects().items()
                if path.startswith(device) and CHARACTERISTIC in interfaces}
        return ours if INBOX in ours and OUTBOX in ours else None
    ours = until(found)
    return [dbus.Interface(bus.get_object("org.bluez", ours[uuid]), CHARACTERISTIC)
            for uuid in [INBOX, OUTBOX]]


def write(inbox, data, kind="command"):
    try:
        inbox.WriteValue(dbus.Array(data, "y"), {"type": kind})
    except dbus.DBusException as error:
        print(len(data), error)
        return False
    return True


class Thing(dbus.service.Object):
    def __init__(self, path, interface, properties):
        self.interface, self.properties = interface, properties
        super().__init__(bus, path)

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties


class Application(dbus.service.Object):
    things = []

    @dbus.service.method(MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {thing._object_path: {thing.interface: thing.properties} for thing in self.things}


def serve_wrong_layout():
    """Our service, with an inbox that cannot be written to, and a hundred other services."""
    application = Application(bus, "/wrong")
    path = dbus.ObjectPath
    application.things = [
        Thing("/wrong/s", "org.bluez.GattService1", {"UUID": SERVICE, "Primary": True}),
        Thing("/wrong/s/i", CHARACTERISTIC, {
            "UUID": INBOX, "Service": path("/wrong/s"), "Flags": dbus.Array(["read"], "s")}),
    ] + [
        Thing(f"/wrong/x{number}", "org.bluez.GattService1",
              {"UUID": f"0000{number:04x}-0000-1000-8000-00805f9b34ff", "Primary": True})
        for number in range(100)
    ]
    advertisement = Thing("/advertisement", "org.bluez.LEAdvertisement1", {
        "Type": "peripheral", "ServiceUUIDs": dbus.Array([SERVICE], "s")})
    radio = bus.get_object("org.bluez", adapter_path)
    loop = GLib.MainLoop()
    said = lambda *words: print(*words, flush=True)
    dbus.Interface(radio, "org.bluez.GattManager1").RegisterApplication(
        "/wrong", {}, reply_handler=lambda: said("serving"), error_handler=said)
    dbus.Interface(radio, "org.bluez.LEAdvertisingManager1").RegisterAdvertisement(
        advertisement._object_path, {}, reply_handler=lambda: said("advertising"),
        error_handler=said)
    loop.run()


if what == "layout":
    serve_wrong_layout()
inbox, outbox = connected(sys.argv[3])
print("connected", flush=True)
if what == "writes":
    for length in [0, 1, 2, 3, 19, 20, 43, 44, 45, 182, 244, 509, 510, 511, 512]:
        for kind in ["command", "request"]:
            write(inbox, bytes([0xA1, 0x1C] + [length & 255] * length)[:length], kind)
elif what == "flood":
    end = time.monotonic() + 10
    sent = 0
    while time.monotonic() < end and write(inbox, bytes(509)):
        sent += 1
    print("sent", sent)
elif what == "storm":
    for _ in range(20):
        for method in ["StartNotify", "StopNotify"]:
            try:
                outbox.get_dbus_method(method)()
            except dbus.DBusException as error:
                print(error)
print("done", flush=True)
