@testable import KingfisherServer

/// Lines of a file, and the reasons why they are refused.
let badValues: [(String, String)] =
    startFaults + urlFaults + compatibilityFaults + sourceFaults + resultFaults + cacheFaults
    + operationFaults

private let startFaults = [
    ("listen = 8080", "'8080' is not HOST:PORT, unix:PATH or systemd."),
    ("listen = localhost:65536", "'localhost:65536' is not HOST:PORT, unix:PATH or systemd."),
    ("listen = a b:80", "'a b:80' is not HOST:PORT, unix:PATH or systemd."),
    ("listen = :8080", "Write 0.0.0.0:8080 or [::]:8080 for all addresses."),
    ("listen = ::1:8080", "'::1:8080' is not HOST:PORT. An IPv6 address is in brackets."),
    ("listen = [localhost]:80", "'[localhost]:80' is not HOST:PORT. An IPv6 address is in brackets."),
    ("listen = unix:", "The path of a socket has 1 to 107 bytes."),
    ("admin-listen = x", "'x' is not HOST:PORT, unix:PATH or systemd."),
    ("admin-listen = 127.0.0.1:8080", "Clients connect there."),
    ("development = yes", "'yes' is not on or off."),
]

private let urlFaults = [
    ("signing = 1", "'1' is not on or off."),
    ("signing-keys-file = none", "There is no such file. Relative paths start in 'DIR'."),
    ("signing-keys-file = /nowhere/x", "There is no such file."),
    ("signing-keys-file = x", "The path is not a file."),
    (
        "signing-keys-file = short",
        "Key 1 is not at least 64 hexadecimal digits; openssl rand -hex 32 makes one."
    ),
    ("native-prefix = images", "A prefix is / or segments of A-Z, a-z, 0-9 and -._~, such as /images."),
    ("preset.a = quality:0", "Invalid argument of 'quality'; expected quality:1…100[,FORMAT=1…100…]."),
    ("preset.a b = fit:1x1", "A name is 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'."),
    ("preset.a = fallback:none", "There is no fallback.none."),
    ("preset.a = fit:1x1//bw", "A preset has no empty segments."),
]

private let compatibilityFaults = [
    ("imgproxy-keys-file = none", "There is no such file. Relative paths start in 'DIR'."),
    ("imgproxy-keys-file = keys", "Pair 1 is not KEY SALT in hexadecimal digits."),
    ("imgproxy-signature-size = 15", "'15' is not a number from 16 to 32."),
    ("imgproxy-presets = a", "'a' is not NAME=OPTIONS."),
    ("imgproxy-presets = a=q:1,a=q:2", "'a' is defined twice."),
    ("imgproxy-presets = a=q:1,,b=q:2", "'a=q:1,,b=q:2' has an empty element."),
    ("imgproxy-presets = a=q:1", "URLs of imgproxy need imgproxy-keys-file."),
    ("imgproxy-only-presets = true", "'true' is not on or off."),
    ("imgproxy-watermark = logo", "URLs of imgproxy need imgproxy-keys-file."),
    ("imgproxy-prefix = /", "The value of native-prefix is the same by default."),
    ("thumbor-prefix = /t", "URLs of thumbor need thumbor-key-file."),
    ("thumbor-key-file = aws", "The file is not one line, printable ASCII without spaces."),
    ("thumbor-algorithm = md5", "'md5' is not sha1, sha256 or sha512."),
    ("thumbor-signature-length = 15", "'15' is not a number from 16 to 88."),
    ("thumbor-scheme = ftp", "'ftp' is not http or https."),
    ("smart-crop = on", "'on' is not refuse or center."),
    ("compat-negotiate = ja", "'ja' is not on or off."),
]

private let sourceFaults = [
    ("allowed-sources = example.com", "'example.com': An entry starts with http:// or https://."),
    ("allow-addresses = 10.0.0.0/33", "'10.0.0.0/33' is not an address or a network such as 10.0.0.0/8."),
    ("allowed-ports = 0", "'0' is not a number from 1 to 65535."),
    ("source-base = https://a.example/?x", "The base has no query and no fragment."),
    ("folder = keys", "'DIR/keys' is not a folder that can be read."),
    ("s3-buckets = photos,", "'photos,' has an empty element."),
    (
        "s3-endpoint = 127.0.0.1:9000",
        "The value is not an http or https URL without user, query and fragment."
    ),
    ("s3-endpoint = http://127.0.0.1:9000", "No bucket may be read without s3-buckets."),
    ("s3-region = EU west", "'EU west' is not a region such as eu-central-1."),
    ("s3-credentials-file = keys", "The file has no aws_access_key_id and aws_secret_access_key."),
    ("s3-path-style = path", "'path' is not on or off."),
    ("s3-allow-addresses = localhost", "'localhost' is not an address or a network such as 10.0.0.0/8."),
]

private let resultFaults = [
    ("formats = avif, jpeg", "'jpeg' is not avif, webp, jxl or png."),
    ("formats = webp, webp", "At most three formats are offered, each once."),
    ("quality.jpeg = 0", "'0' is not a number from 1 to 100."),
    ("quality.png = 70", "Formats with a quality are jpeg, webp, avif and jxl."),
    ("frames = last", "'last' is not first or all."),
    ("watermark.logo = none.png", "'DIR/none.png' is not a file that can be read."),
    ("fallback.grey = x", "'DIR/x' is not a file that can be read."),
    ("max-source-bytes = 0", "'0' is not a size from 1 KiB to 2 GiB."),
    ("max-source-pixels = 0", "'0' is not a number of pixels from 1 to 100 MP."),
    ("max-frames = 1.5", "'1.5' is not a number from 1 to 10000."),
    ("hint-widths = 320, 0", "'0' is not a number from 1 to 32768."),
    ("background-pixels = -1", "'-1' is not a number of pixels from 0 to 100 MP."),
    ("max-avif-pixels = large", "'large' is not a number of pixels from 0 to 100 MP."),
    ("max-result-side = 32769", "'32769' is not a number from 1 to 32768."),
    ("max-result-pixels = -1", "'-1' is not a number of pixels from 1 to 100 MP."),
    ("max-upload = 3 GiB", "'3 GiB' is not a size from 1 KiB to 2 GiB."),
]

private let cacheFaults = [
    ("cache-folder = keys", "'DIR/keys' is not a folder that can be written."),
    ("results-size = much", "'much' is not a size from 0 to 1024 TiB."),
    ("originals-size = 4 G", "'4 G' is not a size from 0 to 1024 TiB."),
    ("memory-size = 2 TiB", "'2 TiB' is not a size from 0 to 1 TiB."),
    ("shared = http://127.0.0.1", "The URL starts with redis:// or rediss://."),
    (
        "shared = redis://u:verysecret@127.0.0.1",
        "The URL has a password; use password-file or KINGFISHER_REDIS_PASSWORD."
    ),
    ("cache-uploads = maybe", "'maybe' is not on or off."),
    ("ttl = 366 d", "'366 d' is not a duration from 0 to 365 d."),
    ("source-minimum-ttl = 1 w", "'1 w' is not a duration from 0 to 365 d."),
    ("source-default-ttl = -1", "'-1' is not a duration from 0 to 365 d."),
    ("stale-while-revalidate = x", "'x' is not a duration from 0 to 365 d."),
    ("stale-if-error = 1 year", "'1 year' is not a duration from 0 to 365 d."),
    ("fallback-ttl = 0.3", "'0.3' is not a duration from 0 to 365 d."),
]

private let operationFaults = [
    ("memory-budget = 1 MiB", "'1 MiB' is not a size from 16 MiB to 1 TiB."),
    ("queue = -1", "'-1' is not a number from 0 to 100000."),
    ("connections = 0", "'0' is not a number from 1 to 1000000."),
    ("connections-per-client = 4097", "There are only 4096 connections."),
    ("rate = 0", "'0' is not a number from 0.01 to 1000000.0."),
    ("burst = 0", "'0' is not a number from 1 to 1000000."),
    ("trusted-proxies = *", "'*' is not an address or a network such as 10.0.0.0/8."),
    ("download-timeout = 0", "'0' is not a duration from 1 s to 10 min."),
    ("request-timeout = 601", "'601' is not a duration from 1 s to 10 min."),
    ("read-timeout = 1 d", "'1 d' is not a duration from 1 s to 10 min."),
    ("write-timeout = 0.5 s", "'0.5 s' is not a duration from 1 s to 10 min."),
    ("idle-timeout = never", "'never' is not a duration from 1 s to 10 min."),
    ("drain-timeout = 11 min", "'11 min' is not a duration from 1 s to 10 min."),
    ("isolation = some", "'some' is not all, untrusted or none."),
    ("decoder = keys", "'DIR/keys' is not a program."),
    (
        "purge-token-file = short",
        "The file is not one line of at least 16 characters, printable ASCII without spaces."
    ),
    ("purge-public = on", "Purges need purge-token-file."),
    ("cors = a.example", "'a.example' is not * or an origin such as https://example.com."),
    (
        "timing-allow-origin = https://a.example/b",
        "'https://a.example/b' is not * or an origin such as https://example.com."
    ),
    ("log-level = verbose", "'verbose' is not trace, debug, info, notice, warning, error or critical."),
    ("log-format = xml", "'xml' is not text or json."),
]
