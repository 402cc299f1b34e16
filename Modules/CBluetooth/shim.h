// libbluetooth, and what of the kernel's Bluetooth Swift cannot see: ioctls, filters, addresses.
//
// An address is a number here, its first written byte the most significant.
#pragma clang module import SwiftGlibc
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* The Attribute Protocol's fixed channel (Bluetooth Core 5.4, volume 3, part A, section 2.1). */
enum { airlink_att_channel = 4 };

static inline uint64_t airlink_from_bdaddr(const bdaddr_t *address) {
  uint64_t value = 0;
  for (int i = 5; i >= 0; i--) value = value << 8 | address->b[i];
  return value;
}

static inline void airlink_to_bdaddr(uint64_t value, bdaddr_t *address) {
  for (int i = 0; i < 6; i++) address->b[i] = (uint8_t)(value >> (8 * i));
}

/* A socket to ask about controllers; -1 and errno, EAFNOSUPPORT where the kernel has no Bluetooth. */
static inline int airlink_hci_socket(void) {
  return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
}

/* The numbers of the controllers there are, at most `count`; how many, or -1. */
static inline int airlink_hci_devices(int descriptor, uint16_t *ids, int count) {
  struct {
    struct hci_dev_list_req head;
    struct hci_dev_req devices[HCI_MAX_DEV];
  } list = {.head = {.dev_num = HCI_MAX_DEV}};
  if (ioctl(descriptor, HCIGETDEVLIST, &list) < 0) return -1;
  int found = 0;
  for (int i = 0; i < list.head.dev_num && i < HCI_MAX_DEV && found < count; i++)
    ids[found++] = list.devices[i].dev_id;
  return found;
}

static inline int airlink_hci_information(int descriptor, uint16_t id, struct hci_dev_info *info) {
  memset(info, 0, sizeof *info);
  info->dev_id = id;
  return ioctl(descriptor, HCIGETDEVINFO, info);
}

static inline int airlink_hci_is_up(const struct hci_dev_info *info) {
  return hci_test_bit(HCI_UP, (void *)&info->flags);
}

static inline int airlink_hci_has_le(const struct hci_dev_info *info) {
  return (info->features[4] & LMP_LE) != 0;
}

/* May take seconds. */
static inline int airlink_hci_bring_up(int descriptor, uint16_t id) {
  return ioctl(descriptor, HCIDEVUP, id);
}

/* Lets the answers to commands and LE's events through. */
static inline int airlink_hci_listen(int descriptor) {
  struct hci_filter filter;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(EVT_CMD_COMPLETE, &filter);
  hci_filter_set_event(EVT_CMD_STATUS, &filter);
  hci_filter_set_event(EVT_LE_META_EVENT, &filter);
  hci_filter_set_event(EVT_DISCONN_COMPLETE, &filter);
  return setsockopt(descriptor, SOL_HCI, HCI_FILTER, &filter, sizeof filter);
}

/* A socket for ATT from the controller of that address; -1 and errno. */
static inline int airlink_att_socket(uint64_t own) {
  int descriptor =
      socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_L2CAP);
  if (descriptor < 0) return -1;
  struct sockaddr_l2 address;
  memset(&address, 0, sizeof address);
  address.l2_family = AF_BLUETOOTH;
  address.l2_cid = htobs(airlink_att_channel);
  address.l2_bdaddr_type = BDADDR_LE_PUBLIC;
  airlink_to_bdaddr(own, &address.l2_bdaddr);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

static inline int airlink_att_connect(int descriptor, uint64_t peer, int is_random) {
  struct sockaddr_l2 address;
  memset(&address, 0, sizeof address);
  address.l2_family = AF_BLUETOOTH;
  address.l2_cid = htobs(airlink_att_channel);
  address.l2_bdaddr_type = is_random ? BDADDR_LE_RANDOM : BDADDR_LE_PUBLIC;
  airlink_to_bdaddr(peer, &address.l2_bdaddr);
  return connect(descriptor, (struct sockaddr *)&address, sizeof address);
}

/* Takes a connection, and says whose it is; -1 and errno. */
static inline int airlink_att_accept(int listener, uint64_t *peer, int *is_random) {
  struct sockaddr_l2 address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  int descriptor = accept(listener, (struct sockaddr *)&address, &length);
  if (descriptor < 0) return -1;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  *peer = airlink_from_bdaddr(&address.l2_bdaddr);
  *is_random = address.l2_bdaddr_type == BDADDR_LE_RANDOM;
  return descriptor;
}
