-- Wireshark dissector for AirLink packets: over TCP, in a node's own capture (link layer USER0),
-- and in Bluetooth attribute values. Fields are named as those of airlink-packetdump --json.
--
--   tshark -X lua_script:airlink.lua -r capture.pcapng
--
-- The bytes are those of docs/PROTOCOL.md, section 2 and following.

local airlink = Proto("airlink", "AirLink")

local HEADER, MAGIC_1, MAGIC_2, MAXIMUM_PAYLOAD, MAXIMUM_HOP = 44, 0xA1, 0x1C, 8240, 15
-- Bytes of an attribute that are held for a packet to end; two of the longest.
local MAXIMUM_HELD = 2 * (HEADER + MAXIMUM_PAYLOAD)

-- What nodes take notice of: milliseconds, and hops by kind.
local MAXIMUM_AGE, MAXIMUM_LEAD = 6 * 3600 * 1000, 15 * 60 * 1000
local hops = { [1] = 2, [2] = MAXIMUM_HOP, [3] = 1 }
local EVERYONE = "FFFFFFFFFFFFFFFF"

local kinds = { [1] = "hello", [2] = "sealed", [3] = "voice" }
local f = {
  version = ProtoField.uint8("airlink.version", "Version"),
  kind = ProtoField.uint8("airlink.kind", "Kind", base.DEC, kinds),
  hopLimit = ProtoField.uint8("airlink.hopLimit", "Hop limit"),
  flags = ProtoField.uint8("airlink.flags", "Flags", base.HEX),
  payloadLength = ProtoField.uint16("airlink.payloadLength", "Payload length"),
  crc = ProtoField.bytes("airlink.crc", "CRC-32C"),
  crcHolds = ProtoField.bool("airlink.crcHolds", "CRC holds"),
  sentMilliseconds = ProtoField.uint64("airlink.sentMilliseconds", "Time, milliseconds since 1970"),
  sent = ProtoField.absolute_time("airlink.sent", "Time", base.UTC),
  id = ProtoField.bytes("airlink.id", "Id"),
  destination = ProtoField.bytes("airlink.destination", "Destination"),
  to = ProtoField.string("airlink.to", "To"),
  size = ProtoField.uint32("airlink.size", "Size"),
  refused = ProtoField.string("airlink.refused", "Nodes take no notice"),
  signingKey = ProtoField.bytes("airlink.signingKey", "Signing key"),
  agreementKey = ProtoField.bytes("airlink.agreementKey", "Agreement key"),
  name = ProtoField.string("airlink.name", "Name", base.UNICODE),
  signature = ProtoField.bytes("airlink.signature", "Signature"),
  fingerprint = ProtoField.string("airlink.fingerprint", "Fingerprint"),
  number = ProtoField.string("airlink.number", "Number"),
  encapsulatedKey = ProtoField.bytes("airlink.encapsulatedKey", "Encapsulated key"),
  ciphertextLength = ProtoField.uint32("airlink.ciphertextLength", "Ciphertext length"),
  sequence = ProtoField.uint32("airlink.sequence", "Sequence"),
  tag = ProtoField.bytes("airlink.tag", "Tag"),
}
airlink.fields = f

local bad = ProtoExpert.new("airlink.bad", "CRC does not hold", expert.group.CHECKSUM,
  expert.severity.ERROR)
local garbage = ProtoExpert.new("airlink.garbage", "Bytes that are no packet",
  expert.group.MALFORMED, expert.severity.WARN)
airlink.experts = { bad, garbage }

-- CRC-32C (Castagnoli), reflected.

local crcTable = {}
for byte = 0, 255 do
  local value = byte
  for _ = 1, 8 do
    local low = bit.band(value, 1)
    value = bit.rshift(value, 1)
    if low == 1 then value = bit.bxor(value, 0x82F63B78) end
  end
  crcTable[byte] = value
end

-- Over a packet, with hop limit and CRC as zero; four bytes as upper-case digits.
local function checksum(bytes)
  local value = bit.bnot(0)
  for index = 0, bytes:len() - 1 do
    local byte = bytes:get_index(index)
    if index == 4 or (index >= 8 and index < 12) then byte = 0 end
    value = bit.bxor(bit.rshift(value, 8), crcTable[bit.band(bit.bxor(value, byte), 0xFF)])
  end
  return bit.tohex(bit.bnot(value), -8)
end

-- SHA-256 (FIPS 180-4), for fingerprints: Wireshark's Lua has none.

local round = {}
local initial = {}
do
  local function fraction(x) return bit.tobit(math.floor((x - math.floor(x)) * 4294967296)) end
  local count, candidate = 0, 2
  while count < 64 do
    local isPrime = true
    for divisor = 2, math.floor(math.sqrt(candidate)) do
      if candidate % divisor == 0 then isPrime = false break end
    end
    if isPrime then
      count = count + 1
      if count <= 8 then initial[count] = fraction(math.sqrt(candidate)) end
      round[count] = fraction(candidate ^ (1 / 3))
    end
    candidate = candidate + 1
  end
end

local function sha256(bytes)
  local length = bytes:len()
  local padded = {}
  for index = 0, length - 1 do padded[index] = bytes:get_index(index) end
  padded[length] = 0x80
  local total = math.floor((length + 8) / 64) * 64 + 64
  for index = length + 1, total - 1 do padded[index] = 0 end
  for index = 0, 3 do padded[total - 1 - index] = bit.band(bit.rshift(length * 8, 8 * index), 0xFF) end
  local h = { table.unpack(initial) }
  local w = {}
  for block = 0, total - 64, 64 do
    for t = 1, 16 do
      local place = block + 4 * (t - 1)
      w[t] = bit.bor(bit.lshift(padded[place], 24), bit.lshift(padded[place + 1], 16),
        bit.lshift(padded[place + 2], 8), padded[place + 3])
    end
    for t = 17, 64 do
      local a, b = w[t - 15], w[t - 2]
      local s0 = bit.bxor(bit.ror(a, 7), bit.ror(a, 18), bit.rshift(a, 3))
      local s1 = bit.bxor(bit.ror(b, 17), bit.ror(b, 19), bit.rshift(b, 10))
      w[t] = bit.tobit(w[t - 16] + s0 + w[t - 7] + s1)
    end
    local v = { table.unpack(h) }
    for t = 1, 64 do
      local a, e = v[1], v[5]
      local s1 = bit.bxor(bit.ror(e, 6), bit.ror(e, 11), bit.ror(e, 25))
      local choice = bit.bxor(bit.band(e, v[6]), bit.band(bit.bnot(e), v[7]))
      local one = bit.tobit(v[8] + s1 + choice + round[t] + w[t])
      local s0 = bit.bxor(bit.ror(a, 2), bit.ror(a, 13), bit.ror(a, 22))
      local majority = bit.bxor(bit.band(a, v[2]), bit.band(a, v[3]), bit.band(v[2], v[3]))
      v = { bit.tobit(one + s0 + majority), a, v[2], v[3], bit.tobit(v[4] + one), e, v[6], v[7] }
    end
    for index = 1, 8 do h[index] = bit.tobit(h[index] + v[index]) end
  end
  local digits = {}
  for index = 1, 8 do digits[index] = bit.tohex(h[index]) end
  return table.concat(digits)
end

local alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

-- A fingerprint's digits as a number: its first 40 bits in Crockford's base 32.
local function number(digits)
  local text = ""
  for half = 0, 1 do
    local value = tonumber(digits:sub(half * 5 + 1, half * 5 + 5), 16)
    for place = 3, 0, -1 do
      local index = math.floor(value / 32 ^ place) % 32
      text = text .. alphabet:sub(index + 1, index + 1)
    end
    if half == 0 then text = text .. "-" end
  end
  return text
end

local function allowed(kind, length)
  if kind == 1 then return length >= 129 and length <= 193 end
  if kind == 3 then return length >= 21 and length <= 1400 end
  for exponent = 8, 13 do
    if length == 2 ^ exponent + 48 then return true end
  end
  return false
end

local function refusal(version, kind, length)
  if version ~= 1 then return "another version" end
  if not kinds[kind] then return "unknown kind" end
  if not allowed(kind, length) then return "a length its kind does not have" end
  return nil
end

-- A rule of the router that the header breaks, for a packet that was captured at a time.
local function broken(kind, hop, destination, sent, captured)
  if hop > hops[kind] then return "a hop limit over its kind's " .. hops[kind] end
  if kind == 1 and destination ~= EVERYONE then return "a hello to one person" end
  if kind == 3 and destination == EVERYONE then return "voice to everyone" end
  local age = captured - sent
  if age > MAXIMUM_AGE then return "too old" end
  if -age > MAXIMUM_LEAD then return "from the future" end
  return nil
end

-- How long the packet at an offset says it is; nil where no header can be.
local function declared(tvb, offset)
  if tvb(offset, 1):uint() ~= MAGIC_1 or tvb(offset + 1, 1):uint() ~= MAGIC_2 then return nil end
  local hop, length = tvb(offset + 4, 1):uint(), tvb(offset + 6, 2):uint()
  if hop < 1 or hop > MAXIMUM_HOP or length > MAXIMUM_PAYLOAD then return nil end
  return HEADER + length
end

local function hello(tvb, tree)
  local length = tvb(64, 1):uint()
  if tvb:len() ~= 129 + length then return "hello" end
  tree:add(f.signingKey, tvb(0, 32))
  tree:add(f.agreementKey, tvb(32, 32))
  local name = length > 0 and tvb(65, length):string(ENC_UTF_8) or ""
  if length > 0 then tree:add(f.name, tvb(65, length), name) else tree:add(f.name, tvb(65, 0), "") end
  tree:add(f.signature, tvb(65 + length, 64))
  local fingerprint = sha256(tvb(0, 64):bytes()):sub(1, 16)
  tree:add(f.fingerprint, tvb(0, 64), fingerprint):set_generated()
  tree:add(f.number, tvb(0, 64), number(fingerprint)):set_generated()
  return "hello " .. number(fingerprint)
end

-- Shows a whole packet whose CRC holds; returns a line for it.
local function show(tvb, root, captured)
  local kind, length, version = tvb(3, 1):uint(), tvb(6, 2):uint(), tvb(2, 1):uint()
  local tree = root:add(airlink, tvb())
  tree:add(f.version, tvb(2, 1))
  tree:add(f.kind, tvb(3, 1))
  tree:add(f.hopLimit, tvb(4, 1))
  tree:add(f.flags, tvb(5, 1))
  tree:add(f.payloadLength, tvb(6, 2))
  tree:add(f.crc, tvb(8, 4))
  tree:add(f.crcHolds, tvb(8, 4), true):set_generated()
  local time = tvb(12, 8):uint64()
  tree:add(f.sentMilliseconds, tvb(12, 8))
  local seconds = (time / 1000):tonumber()
  tree:add(f.sent, tvb(12, 8), NSTime.new(seconds, (time % 1000):tonumber() * 1000000))
  tree:add(f.id, tvb(20, 16))
  tree:add(f.destination, tvb(36, 8))
  local digits = tvb(36, 8):bytes():tohex()
  local to = digits == EVERYONE and "everyone" or number(digits)
  tree:add(f.to, tvb(36, 8), to):set_generated()
  tree:add(f.size, tvb(), tvb:len()):set_generated()
  local refused = refusal(version, kind, length)
  local words = kinds[kind] or ("kind-" .. kind)
  if refused then
    tree:add(f.refused, tvb(), refused):set_generated()
    return words .. " (" .. refused .. ")"
  end
  refused = broken(kind, tvb(4, 1):uint(), digits, time:tonumber(), captured)
  if refused then tree:add(f.refused, tvb(), refused):set_generated() end
  local payload = tvb(HEADER):tvb()
  if kind == 1 then
    words = hello(payload, tree)
  elseif kind == 2 then
    tree:add(f.encapsulatedKey, payload(0, 32))
    tree:add(f.ciphertextLength, payload(32), payload:len() - 32):set_generated()
  else
    tree:add(f.sequence, payload(0, 4))
    tree:add(f.ciphertextLength, payload(4), payload:len() - 20):set_generated()
    tree:add(f.tag, payload(payload:len() - 16, 16))
  end
  tree:append_text(", " .. words .. " to " .. to)
  return words .. " to " .. to
end

local function holds(tvb, offset, length)
  return checksum(tvb(offset, length):bytes()) == tvb(offset + 8, 4):bytes():tohex()
end

local function milliseconds(pinfo) return math.floor(pinfo.abs_ts * 1000) end

-- Shows the packets in a buffer, as the chunker finds them: from one byte after a bad one on.
-- Returns where it stopped, and how many bytes are wanted beyond the buffer (nil: not known yet).
local function packets(tvb, offset, root, columns, isEnd, captured)
  local skipped = 0
  local function tellSkipped(last)
    if skipped == 0 then return end
    root:add(airlink, tvb(last - skipped, skipped), "AirLink, bytes that are no packet")
      :add_proto_expert_info(garbage, skipped .. " bytes that are no packet")
    skipped = 0
  end
  while offset < tvb:len() do
    local left = tvb:len() - offset
    local mayBegin = tvb(offset, 1):uint() == MAGIC_1
      and (left == 1 or tvb(offset + 1, 1):uint() == MAGIC_2)
    if mayBegin and left < HEADER then
      if not isEnd then tellSkipped(offset) return offset, nil end
      mayBegin = false
    end
    local length = mayBegin and declared(tvb, offset) or nil
    if length and length > left and not isEnd then
      tellSkipped(offset)
      return offset, length - left
    end
    if length and length <= left and holds(tvb, offset, length) then
      tellSkipped(offset)
      table.insert(columns, show(tvb(offset, length):tvb(), root, captured))
      offset = offset + length
    else
      skipped = skipped + 1
      offset = offset + 1
    end
  end
  tellSkipped(offset)
  return offset, 0
end

local function setColumns(pinfo, columns)
  if #columns == 0 then return end
  pinfo.cols.protocol:set("AirLink")
  pinfo.cols.info:set(table.concat(columns, ", "))
  pinfo.cols.info:fence()
end

-- A record of a node's own capture (link layer USER0) and a segment of a TCP stream.
function airlink.dissector(tvb, pinfo, root)
  local columns = {}
  local isStream = pinfo.can_desegment > 0
  local offset, wanted = packets(tvb, 0, root, columns, not isStream, milliseconds(pinfo))
  if isStream and offset < tvb:len() then
    pinfo.desegment_offset = offset
    pinfo.desegment_len = wanted or DESEGMENT_ONE_MORE_SEGMENT
  end
  setColumns(pinfo, columns)
  return tvb:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, airlink)

local function isOurs(tvb)
  return tvb:len() >= HEADER and declared(tvb, 0) ~= nil
end

airlink:register_heuristic("tcp", function(tvb, pinfo, root)
  if not isOurs(tvb) then return false end
  pinfo.conversation = airlink
  airlink.dissector(tvb, pinfo, root)
  return true
end)

-- Wireshark 4.0 knows the channels that BlueZ opens for attributes (EATT) by their protocol, but not
-- that this protocol is ATT.
pcall(function() DissectorTable.get("btl2cap.psm"):add(0x27, Dissector.get("btatt")) end)

-- Attribute values: GATT's own tables know a characteristic only where its discovery was captured,
-- so every value is looked at, and put together per connection, direction and attribute.

local overATT = Proto("airlink_att", "AirLink over ATT")
local fields = {
  att = Field.new("btatt"),
  value = Field.new("btatt.value"),
  handle = Field.new("btatt.handle"),
  chandle = Field.new("bthci_acl.chandle"),
}
local streams, found = {}, {}

function overATT.init() streams, found = {}, {} end

local function take(key, value)
  local held = streams[key]
  local bytes = ByteArray.new()
  if held then bytes:append(held) end
  bytes:append(value)
  local whole = {}
  local offset = 0
  while bytes:len() - offset >= 2 do
    if bytes:get_index(offset) ~= MAGIC_1 or bytes:get_index(offset + 1) ~= MAGIC_2 then
      offset = offset + 1
    else
      local left = bytes:len() - offset
      if left < HEADER then break end
      local hop = bytes:get_index(offset + 4)
      local length = bytes:get_index(offset + 6) * 256 + bytes:get_index(offset + 7)
      if hop < 1 or hop > MAXIMUM_HOP or length > MAXIMUM_PAYLOAD then
        offset = offset + 1
      elseif left < HEADER + length then
        break
      else
        local packet = bytes:subset(offset, HEADER + length)
        if checksum(packet) == packet:subset(8, 4):tohex() then
          table.insert(whole, packet)
          offset = offset + HEADER + length
        else
          offset = offset + 1
        end
      end
    end
  end
  local left = bytes:len() - offset
  streams[key] = left > 0 and left <= MAXIMUM_HELD and bytes:subset(offset, left) or nil
  return whole
end

-- Notifications of several values, as BlueZ sends them, are unknown to Wireshark 4.0: handle, length
-- and value of each.
local SEVERAL = 0x23

local function values()
  local att = fields.att()
  if att and att.range:len() > 0 and att.range(0, 1):uint() == SEVERAL then
    local all, offset = {}, 1
    while offset + 4 <= att.range:len() do
      local length = att.range(offset + 2, 2):le_uint()
      if offset + 4 + length > att.range:len() then break end
      table.insert(all, {
        handle = att.range(offset, 2):le_uint(),
        bytes = length > 0 and att.range(offset + 4, length):bytes() or ByteArray.new(),
      })
      offset = offset + 4 + length
    end
    return all
  end
  local value, handle = fields.value(), fields.handle()
  if not value or not handle then return {} end
  return { { handle = handle.value, bytes = value.range:bytes() } }
end

function overATT.dissector(tvb, pinfo, root)
  if not pinfo.visited and not found[pinfo.number] then
    local connection = fields.chandle()
    local all = {}
    for _, value in ipairs(values()) do
      local key = table.concat({
        tostring(pinfo.p2p_dir), connection and tostring(connection.value) or "",
        tostring(value.handle),
      }, " ")
      for _, packet in ipairs(take(key, value.bytes)) do table.insert(all, packet) end
    end
    found[pinfo.number] = all
  end
  local columns = {}
  for _, packet in ipairs(found[pinfo.number] or {}) do
    table.insert(columns, show(packet:tvb("AirLink packet"), root, milliseconds(pinfo)))
  end
  setColumns(pinfo, columns)
end

register_postdissector(overATT)
