-- SPDX-License-Identifier: Apache-2.0
-- What wrk sends: wrk -s load.lua URL -- COUNT SIZE HEADER|- REQUEST...
-- A REQUEST is "WEIGHT METHOD PATH [BODY]"; its share of all requests is its WEIGHT. {id} becomes the id of one of COUNT products
-- that are spread evenly over a catalogue of SIZE, {n} three random digits, {1-199} a random number of these, {serial} sixteen digits
-- that no other request has. Prints the summary as a line of JSON.

local START = 1704067200000
local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

-- The id that Catalogue.pm gives product n.
local function id_of(n)
    local ms = START + n
    return string.format("%08x-%04x-7%03x-8%03x-%012x", math.floor(ms / 65536), ms % 65536, n % 4096, n % 4096, n * 7919)
end

-- The bytes of a request, split at its placeholders.
local function pieces_of(method, path, body, header)
    local length = #body:gsub("{n}", "000"):gsub("{serial}", "0000000000000000")
    local head = method .. " " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n" .. header
    if method ~= "GET" then
        head = head .. "Content-Type: application/json\r\nContent-Length: " .. length .. "\r\n"
    end
    local pieces, text, at = {}, head .. "\r\n" .. body, 1
    while true do
        local from, to = text:find("{[%w-]+}", at)
        if not from then break end
        pieces[#pieces + 1] = text:sub(at, from - 1)
        pieces[#pieces + 1] = text:sub(from, to)
        at = to + 1
    end
    pieces[#pieces + 1] = text:sub(at)
    return pieces
end

local ids, requests, weights, total = {}, {}, {}, 0

function init(args)
    local count, size = tonumber(args[1]), tonumber(args[2])
    local header = args[3] == "-" and "" or args[3] .. "\r\n"
    math.randomseed(number)
    for i = 1, count do
        ids[i] = id_of(math.floor((i - 1) * size / count))
    end
    for i = 4, #args do
        local weight, method, path, body = args[i]:match("^(%d+) (%u+) (%S+) ?(.*)$")
        total = total + tonumber(weight)
        weights[#weights + 1] = total
        requests[#requests + 1] = pieces_of(method, path, body, header)
    end
end

local function choose()
    local chance = math.random(total)
    for i = 1, #weights do
        if chance <= weights[i] then return requests[i] end
    end
end

-- A run lasts a second at least, so its begin tells it from others.
local begun, made = os.time(), 0

local function serial()
    made = made + 1
    return string.format("%08x%02x%06x", begun, number, made)
end

local function value_of(placeholder)
    if placeholder == "{serial}" then return serial() end
    local from, to = placeholder:match("(%d+)-(%d+)")
    if from then return math.random(tonumber(from), tonumber(to)) end
    return placeholder == "{id}" and ids[math.random(#ids)] or math.random(100, 999)
end

function request()
    local pieces = #requests == 1 and requests[1] or choose()
    if #pieces == 1 then return pieces[1] end
    local text = pieces[1]
    for i = 2, #pieces, 2 do
        text = text .. value_of(pieces[i]) .. pieces[i + 1]
    end
    return text
end

function done(summary, latency)
    local e = summary.errors
    io.write(string.format('{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d,"status":%d}\n', summary.requests,
        summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        e.connect + e.read + e.write + e.timeout + e.status, e.status))
end
