-- A client of the service rows, for wrk with one thread: sends a number of requests and prints a line
-- "load SECONDS P50 P99 WRONG", where the percentiles are in microseconds and WRONG counts responses with
-- another status, and connections that failed.
--
-- PATHS is a file with a path a line, which may be followed by a tab and an entity tag for If-None-Match.
-- COUNT is the number of requests, STATUS the expected status, and PAUSE the mean time before each request of a
-- connection in milliseconds, which is distributed exponentially.

local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int, int);")

local paths, count, status, pause
-- wrk also calls request() once before it starts.
local sent, received = -1, 0
wrong = 0

local threads = {}
function setup(thread) table.insert(threads, thread) end

function init(arguments)
    count, status = tonumber(os.getenv("COUNT")), tonumber(os.getenv("STATUS"))
    pause = tonumber(os.getenv("PAUSE"))
    math.randomseed(1)
    paths = {}
    for line in io.lines(os.getenv("PATHS")) do
        local path, tag = line:match("^(.*)\t(.*)$")
        table.insert(paths, wrk.format("GET", path or line, tag and { ["If-None-Match"] = tag } or nil))
    end
end

function delay()
    -- After the last request, the other connections wait for the end.
    if sent >= count then return 3600000 end
    -- Servers close connections that are idle for long.
    return math.floor(math.min(-math.log(1 - math.random()), 4) * pause + 0.5)
end

function request()
    sent = sent + 1
    return paths[math.max(sent - 1, 0) % #paths + 1]
end

function response(code)
    received = received + 1
    if code ~= status then wrong = wrong + 1 end
    if received == count then
        wrk.thread:stop()
        -- SIGINT ends the wait of wrk's first thread.
        ffi.C.kill(ffi.C.getpid(), 2)
    end
end

function done(summary, latency)
    local errors = summary.errors
    -- Without timeouts, as which wrk counts connections that have sent nothing.
    local others = errors.connect + errors.read + errors.write
    for _, thread in ipairs(threads) do others = others + thread:get("wrong") end
    print(string.format("load %f %d %d %d", summary.duration / 1e6, latency:percentile(50),
        latency:percentile(99), others))
end
