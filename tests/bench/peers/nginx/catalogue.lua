-- SPDX-License-Identifier: Apache-2.0
-- The catalogue for nginx: SQLite's own interface through LuaJIT's FFI, statements prepared once in each worker, text by hand.

local ffi = require("ffi")
local sqlite = ffi.load("sqlite3.so.0")

ffi.cdef [[
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
int sqlite3_open_v2(const char *file, sqlite3 **db, int flags, const char *vfs);
int sqlite3_busy_timeout(sqlite3 *db, int ms);
int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **st, const char **tail);
int sqlite3_bind_text(sqlite3_stmt *st, int at, const char *text, int length, void *destroy);
int sqlite3_bind_int64(sqlite3_stmt *st, int at, int64_t value);
int sqlite3_step(sqlite3_stmt *st);
int sqlite3_reset(sqlite3_stmt *st);
const char *sqlite3_column_text(sqlite3_stmt *st, int at);
int sqlite3_column_bytes(sqlite3_stmt *st, int at);
int sqlite3_column_int(sqlite3_stmt *st, int at);
double sqlite3_column_double(sqlite3_stmt *st, int at);
int sqlite3_column_type(sqlite3_stmt *st, int at);
]]

local READWRITE, PERSISTENT, ROW, NULL = 2, 1, 100, 5
local COLUMNS = "SELECT id, name, price, category, inStock, rating, createdAt FROM products "
local HEAD, JSON = '{"success":true,"data":', "application/json"

local M = {}
local db, get, list, count

local function prepare(sql)
    local st = ffi.new("sqlite3_stmt *[1]")
    assert(sqlite.sqlite3_prepare_v3(db, sql, -1, PERSISTENT, st, nil) == 0, sql)
    return st[0]
end

function M.open(file)
    local handle = ffi.new("sqlite3 *[1]")
    assert(sqlite.sqlite3_open_v2(file, handle, READWRITE, nil) == 0, file)
    db = handle[0]
    sqlite.sqlite3_busy_timeout(db, 5000)
    get = prepare(COLUMNS .. "WHERE id = ?")
    list = prepare(COLUMNS .. "ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?")
    count = prepare("SELECT COUNT(*) FROM products")
end

local function text(st, at)
    return ffi.string(sqlite.sqlite3_column_text(st, at), sqlite.sqlite3_column_bytes(st, at))
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\" }
local function escape(char)
    return ESCAPES[char] or string.format("\\u%04x", char:byte())
end

local function quoted(st, at)
    local value = text(st, at)
    if value:find('[%c"\\]') then
        value = value:gsub('[%c"\\]', escape)
    end
    return '"' .. value .. '"'
end

local function product(st)
    local rating = ""
    if sqlite.sqlite3_column_type(st, 5) ~= NULL then
        rating = ',"rating":' .. sqlite.sqlite3_column_double(st, 5)
    end
    return '{"id":' .. quoted(st, 0) .. ',"name":' .. quoted(st, 1) .. ',"price":' .. sqlite.sqlite3_column_double(st, 2)
        .. ',"category":' .. quoted(st, 3) .. ',"inStock":' .. (sqlite.sqlite3_column_int(st, 4) == 1 and "true" or "false")
        .. rating .. ',"createdAt":' .. quoted(st, 6) .. "}"
end

local function answer(status, body)
    ngx.status = status
    ngx.header["Content-Type"] = JSON
    ngx.header["Content-Length"] = #body
    ngx.print(body)
end

function M.one()
    local id = ngx.var.uri:sub(#"/api/products/" + 1)
    local found
    sqlite.sqlite3_bind_text(get, 1, id, #id, nil)
    if sqlite.sqlite3_step(get) == ROW then
        found = HEAD .. product(get) .. "}"
    end
    sqlite.sqlite3_reset(get)
    if found then
        answer(200, found)
    else
        answer(404, '{"success":false,"message":"Product not found"}')
    end
end

local function positive(value, otherwise)
    local number = tonumber(value)
    return number and number >= 1 and number % 1 == 0 and number or otherwise
end

function M.page()
    local query = ngx.req.get_uri_args()
    local page, limit = positive(query.page, 1), math.min(positive(query.limit, 10), 100)
    local products = {}
    sqlite.sqlite3_bind_int64(list, 1, limit)
    sqlite.sqlite3_bind_int64(list, 2, (page - 1) * limit)
    while sqlite.sqlite3_step(list) == ROW do
        products[#products + 1] = product(list)
    end
    sqlite.sqlite3_reset(list)
    sqlite.sqlite3_step(count)
    local total = sqlite.sqlite3_column_int(count, 0)
    sqlite.sqlite3_reset(count)
    answer(200, HEAD .. "[" .. table.concat(products, ",") .. '],"pagination":{"page":' .. page .. ',"limit":' .. limit
        .. ',"total":' .. total .. ',"pages":' .. math.ceil(total / limit) .. "}}")
end

return M
