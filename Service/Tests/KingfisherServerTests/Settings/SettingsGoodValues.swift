import Foundation
import Kingfisher
import KingfisherService

@testable import KingfisherServer

let goodValues = startValues + urlValues + sourceValues + resultValues + cacheValues + operationValues

private let startValues = [
    GoodValue("listen = 127.0.0.1:0") { $0.listen == .tcp(host: "127.0.0.1", port: 0) },
    GoodValue("listen = [::1]:8080") { $0.listen == .tcp(host: "::1", port: 8_080) },
    GoodValue("listen = localhost:80") { $0.listen == .tcp(host: "localhost", port: 80) },
    GoodValue("listen = unix:/run/k.sock") { $0.listen == .unix(path: "/run/k.sock") },
    GoodValue("signing-keys-file = keys", "listen = systemd\nadmin-listen = systemd") {
        $0.listen == .systemd && $0.adminListen == .systemd
    },
    GoodValue("admin-listen = none") { $0.adminListen == nil },
    GoodValue("admin-listen = 0.0.0.0:9") { $0.adminListen == .tcp(host: "0.0.0.0", port: 9) },
    GoodValue("development = on") { $0.responses.isDevelopment && keys($0) == 1 },
    GoodValue("development = off", "signing = off") { !$0.responses.isDevelopment },
]

private func keys(_ settings: ServerSettings) -> Int {
    if case .keys(let keys) = settings.urls.signing { keys.count } else { 0 }
}

private let imgproxy = "imgproxy-keys-file = pairs"
private let thumbor = "thumbor-key-file = token"

private let urlValues = [
    GoodValue("signing = on", "signing-keys-file = keys") { keys($0) == 1 },
    GoodValue("signing = off") { keys($0) == 0 },
    GoodValue("signing-keys-file = keys") { keys($0) == 1 },
    GoodValue("native-prefix = /images") { $0.urls.nativePrefix == "/images" },
    GoodValue("preset.card = fit:300x300/pad:300x300,#fff") {
        $0.urls.presets == ["card": "fit:300x300/pad:300x300,#fff"]
    },
    GoodValue("imgproxy-prefix = /old", imgproxy) { $0.urls.imgproxy?.prefix == "/old" },
    GoodValue("imgproxy-prefix = /old") { $0.urls.imgproxy?.keys == [] },
    GoodValue("imgproxy-keys-file = pairs") {
        $0.urls.imgproxy?.keys == [.init(key: [0, 255], salt: [17])]
    },
    GoodValue("imgproxy-signature-size = 8", imgproxy) { $0.urls.imgproxy?.signatureSize == 8 },
    GoodValue("imgproxy-presets = default=q:70/bl:3, b = w:10", imgproxy) {
        $0.urls.imgproxy?.presets == ["default": "q:70/bl:3", "b": "w:10"]
    },
    GoodValue("imgproxy-only-presets = on", imgproxy) { $0.urls.imgproxy?.usesOnlyPresets == true },
    GoodValue("imgproxy-watermark = logo", "watermark.logo = logo.png\n\(imgproxy)") {
        $0.urls.imgproxy?.watermark == "logo"
    },
    GoodValue("thumbor-prefix = /t", thumbor) { $0.urls.thumbor?.prefix == "/t" },
    GoodValue("thumbor-key-file = token") { $0.urls.thumbor?.key == Array("0123456789abcdef".utf8) },
    GoodValue("thumbor-algorithm = sha512", thumbor) { $0.urls.thumbor?.algorithm == .sha512 },
    GoodValue("thumbor-signature-length = 40", thumbor) { $0.urls.thumbor?.signatureLength == 40 },
    GoodValue("thumbor-scheme = http", thumbor) { $0.urls.thumbor?.scheme == "http" },
    GoodValue("smart-crop = center") { $0.urls.smartCrop == .center },
    GoodValue("compat-negotiate = on") { $0.urls.negotiatesCompatibleURLs },
]

private let sourceValues = [
    GoodValue("allowed-sources = https://a.example/b/, https://*.c.example") {
        $0.urls.sources.allowed == ["https://a.example/b/", "https://*.c.example"]
    },
    GoodValue("allowed-sources = none") { $0.urls.sources.allowed == [] },
    GoodValue("allow-addresses = 10.0.0.0/8, ::1") {
        $0.allowedAddresses.map(\.description) == ["10.0.0.0/8", "::1/128"]
    },
    GoodValue("allowed-ports = 80, 8080") { $0.allowedPorts == [80, 8_080] },
    GoodValue("source-base = https://e.example/p/") { $0.urls.sources.base == "https://e.example/p/" },
    GoodValue("folder = x") { $0.folder?.lastPathComponent == "x" && $0.urls.sources.allowsFolder },
    GoodValue("s3-buckets = photos, old-photos", "s3-credentials-file = aws") {
        $0.urls.sources.buckets == ["photos", "old-photos"] && $0.buckets != nil
    },
    GoodValue("s3-endpoint = http://127.0.0.1:9000", "s3-buckets = photos\ns3-credentials-file = aws") {
        $0.buckets?.endpoint == S3Endpoint(region: "us-east-1", url: "http://127.0.0.1:9000")
    },
    GoodValue("s3-region = eu-central-1", "s3-buckets = photos\ns3-credentials-file = aws") {
        $0.buckets?.endpoint.region == "eu-central-1"
    },
    GoodValue("s3-credentials-file = aws", "s3-buckets = photos") {
        $0.buckets?.credentials == S3Credentials(accessKey: "A", secretKey: "S")
    },
    GoodValue("s3-path-style = on", "s3-buckets = photos\ns3-credentials-file = aws") {
        $0.buckets?.endpoint == S3Endpoint(region: "us-east-1", usesPathStyle: true)
    },
    GoodValue("s3-allow-addresses = 127.0.0.1", "s3-buckets = photos\ns3-credentials-file = aws") {
        $0.buckets?.allowedAddresses.map(\.description) == ["127.0.0.1/32"]
    },
]

private let resultValues = [
    GoodValue("formats = jxl, webp") { $0.formats.map(\.name) == ["JXL", "WEBP"] },
    GoodValue("formats = none") { $0.formats.isEmpty },
    GoodValue("quality.jpeg = 70") { $0.qualities == [.JPEG: 70] },
    GoodValue("quality.webp = 100") { $0.qualities == [ImageFormat(name: "WEBP"): 100] },
    GoodValue("frames = all") { $0.frames == .all },
    GoodValue("watermark.logo = logo.png") {
        $0.watermarks["logo"]?.lastPathComponent == "logo.png" && $0.urls.watermarks == ["logo"]
    },
    GoodValue("fallback.grey = logo.png") {
        $0.fallbacks["grey"]?.lastPathComponent == "logo.png" && $0.urls.fallbacks == ["grey"]
    },
    GoodValue("max-source-bytes = 1 MiB") { $0.maximumSourceBytes == 1 << 20 },
    GoodValue("max-source-pixels = 20000000") { $0.maximumSourcePixels == 20_000_000 },
    GoodValue("max-frames = 1") { $0.maximumFrames == 1 },
    GoodValue("hint-widths = 100,200") { $0.hintWidths == [100, 200] },
    GoodValue("background-pixels = 0") { $0.slowFormats.backgroundPixels == 0 },
    GoodValue("max-avif-pixels = 4 MP") { $0.slowFormats.maximumPixels == 4_000_000 },
    GoodValue("max-result-side = 4000") { $0.urls.maximumResultSide == 4_000 },
    GoodValue("max-result-pixels = 10 MP") { $0.urls.maximumResultPixels == 10_000_000 },
    GoodValue("max-upload = 2 MB") { $0.maximumUploadBytes == 2_000_000 },
]

private let cacheValues = [
    GoodValue("cache-folder = x") { $0.caches.folder?.lastPathComponent == "x" },
    GoodValue("cache-folder = new/folder") { $0.caches.folder?.lastPathComponent == "folder" },
    GoodValue("results-size = 1 TiB") { $0.caches.resultBytes == 1 << 40 },
    GoodValue("originals-size = 0") { $0.caches.originalBytes == 0 },
    GoodValue("memory-size = 8 MiB") { $0.caches.memoryBytes == 8 << 20 },
    GoodValue("shared = redis://127.0.0.1:6379") { $0.caches.shared == "redis://127.0.0.1:6379" },
    GoodValue("cache-uploads = on") { $0.storesUploads },
    GoodValue("ttl = source") { $0.responses.lifetime == .source },
    GoodValue("ttl = 0") { $0.responses.lifetime == .seconds(0) },
    GoodValue("ttl = 365 d") { $0.responses.lifetime == .seconds(31_536_000) },
    GoodValue("source-minimum-ttl = 5 min") { $0.caches.sourceMinimumLifetime == 300 },
    GoodValue("source-default-ttl = 2 h") {
        $0.caches.sourceDefaultLifetime == 7_200 && $0.responses.sourceDefaultLifetime == 7_200
    },
    GoodValue("stale-while-revalidate = 0") { $0.responses.staleWhileRevalidate == 0 },
    GoodValue("stale-if-error = 3 d") { $0.responses.staleIfError == 259_200 },
    GoodValue("fallback-ttl = 10 s") { $0.responses.fallbackLifetime == 10 },
]

private let operationValues = [
    GoodValue("memory-budget = 1 GiB") { $0.load.memoryBudget == 1 << 30 },
    GoodValue("queue = 0") { $0.load.queueLength == 0 },
    GoodValue("connections = 100") { $0.load.connections == 100 },
    GoodValue("connections-per-client = 4096") { $0.load.connectionsPerClient == 4_096 },
    GoodValue("rate = 0.5") { $0.load.rate == 0.5 },
    GoodValue("rate = off") { $0.load.rate == nil },
    GoodValue("burst = 5") { $0.load.burst == 5 },
    GoodValue("trusted-proxies = 127.0.0.1, fd00::/8") {
        $0.load.trustedProxies.map(\.description) == ["127.0.0.1/32", "fd00::/8"]
    },
    GoodValue("download-timeout = 1 s") { $0.timeouts.download == .seconds(1) },
    GoodValue("request-timeout = 10 min") { $0.timeouts.request == .seconds(600) },
    GoodValue("read-timeout = 11") { $0.timeouts.read == .seconds(11) },
    GoodValue("write-timeout = 12") { $0.timeouts.write == .seconds(12) },
    GoodValue("idle-timeout = 13") { $0.timeouts.idle == .seconds(13) },
    GoodValue("drain-timeout = 14") { $0.timeouts.drain == .seconds(14) },
    GoodValue("isolation = untrusted") { "\($0.isolation)" == "untrustedFormats" },
    GoodValue("isolation = none") { "\($0.isolation)" == "none" },
    GoodValue("decoder = program") { $0.decoder?.hasSuffix("/program") == true },
    GoodValue("purge-token-file = token") { $0.purgeToken == "0123456789abcdef" },
    GoodValue("purge-public = on", "purge-token-file = token") { $0.purgesPublicly },
    GoodValue("cors = *") { $0.responses.allowedOrigin == "*" },
    GoodValue("cors = https://a.example:8443") { $0.responses.allowedOrigin == "https://a.example:8443" },
    GoodValue("timing-allow-origin = https://a.example") {
        $0.responses.timingAllowedOrigin == "https://a.example"
    },
    GoodValue("log-level = debug") { $0.logLevel == "debug" },
    GoodValue("log-format = json") { $0.logsJSON },
]
