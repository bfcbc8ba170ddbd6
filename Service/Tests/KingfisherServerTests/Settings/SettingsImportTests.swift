import Foundation
import Kingfisher
import KingfisherService
import Testing

@testable import KingfisherServer

struct SettingsImportTests {
    /// The lines that are neither empty nor comments.
    private func settings(_ environment: [String: String]) -> [String] {
        ImgproxyImport(environment).text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    private let keys = ["IMGPROXY_KEY": "00ff", "IMGPROXY_SALT": "11"]

    @Test(
        arguments: [
            ("BIND", ":8080", "listen = 0.0.0.0:8080"), ("BIND", "127.0.0.1:81", "listen = 127.0.0.1:81"),
            ("PROMETHEUS_BIND", ":9", "admin-listen = 0.0.0.0:9"),
            ("LOCAL_FILESYSTEM_ROOT", "/srv/a b", "folder = /srv/a b"),
            ("PRESETS", "default=q:70,sharp=sh:0.7", "imgproxy-presets = default=q:70,sharp=sh:0.7"),
            ("ONLY_PRESETS", "true", "imgproxy-only-presets = on"),
            ("SIGNATURE_SIZE", "16", "imgproxy-signature-size = 16"),
            ("ALLOWED_SOURCES", "https://a.example/,local://", "allowed-sources = https://a.example/"),
            ("ALLOWED_SOURCES", "local://", "allowed-sources = none"),
            ("BASE_URL", "https://a.example/", "source-base = https://a.example/"),
            ("MAX_SRC_RESOLUTION", "16.8", "max-source-pixels = 16.8 MP"),
            ("MAX_SRC_FILE_SIZE", "10485760", "max-source-bytes = 10485760"),
            ("MAX_RESULT_DIMENSION", "4000", "max-result-side = 4000"),
            ("MAX_ANIMATION_FRAMES", "1", "frames = first"),
            ("MAX_ANIMATION_FRAMES", "64", "max-frames = 64"),
            ("QUALITY", "70", "quality.jpeg = 70"), ("FORMAT_QUALITY", "avif=40", "quality.avif = 40"),
            ("TTL", "3600", "ttl = 3600 s"), ("TIMEOUT", "15", "request-timeout = 15 s"),
            ("DOWNLOAD_TIMEOUT", "5", "download-timeout = 5 s"),
            ("KEEP_ALIVE_TIMEOUT", "10", "idle-timeout = 10 s"), ("MAX_CLIENTS", "512", "connections = 512"),
            ("ALLOW_ORIGIN", "*", "cors = *"), ("AUTO_AVIF", "1", "formats = avif"),
            ("ENABLE_WEBP_DETECTION", "true", "compat-negotiate = on"),
            ("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "true", "allow-addresses = 127.0.0.0/8,::1/128"),
            ("LOG_LEVEL", "warn", "log-level = warning"), ("LOG_FORMAT", "json", "log-format = json"),
            ("WATERMARK_PATH", "/a.png", "watermark.imgproxy = /a.png"),
            ("FALLBACK_IMAGE_PATH", "/a.png", "fallback.imgproxy = /a.png"),
            ("PATH_PREFIX", "/img/", "imgproxy-prefix = /img"),
        ])
    func `A variable becomes a setting`(_ variable: String, _ value: String, _ line: String) {
        var environment = keys
        environment["IMGPROXY_\(variable)"] = value
        #expect(settings(environment).contains(line))
    }

    @Test(
        arguments: [
            ("SECRET", "xyzzy", "is not supported"), ("TRUSTED_SIGNATURES", "xyzzy", "is not supported"),
            ("NEW_THING", "xyzzy", "is not known here"), ("MAX_SRC_FILE_SIZE", "0", "has no counterpart"),
            ("QUALITY", "0", "is not accepted as quality.jpeg"), ("TTL", "xyzzy", "has no counterpart"),
            ("ALLOWED_SOURCES", "ftp://a.example", "'ftp://a.example'"),
            ("USE_S3", "1", "set s3-buckets"), ("KEEP_ALIVE_TIMEOUT", "0", "is not accepted as idle-timeout"),
            ("PROMETHEUS_BIND", ":9", "each client that reaches the port"),
            ("PREFERRED_FORMATS", "avif,webp", "compat-negotiate = on"),
            ("BIND", "a\nsigning = off", "line breaks"), ("USE_GCS", "1", "is not supported"),
        ])
    func `A variable without a setting is a comment with the reason`(
        _ variable: String, _ value: String, _ reason: String
    ) {
        let text = ImgproxyImport(keys.merging(["IMGPROXY_\(variable)": value]) { $1 }).text
        let comments = text.split(separator: "\n").filter { $0.hasPrefix("#") }
            .map { $0.drop { $0 == "#" || $0 == " " } }.joined(separator: " ")
        #expect(comments.contains("IMGPROXY_\(variable): "))
        #expect(comments.contains(reason))
        #expect(!text.contains("xyzzy") && !text.contains("\nsigning = off"))
    }

    @Test func `Secrets are not in the file, but where they belong`() {
        let environment = [
            "IMGPROXY_KEY": "943b421c9eb07c83", "IMGPROXY_SALT": "520f986b998545b4",
            "IMGPROXY_SECRET": "5ec4e7",
            "AWS_SECRET_ACCESS_KEY": "awsawsaws", "IMGPROXY_USE_S3": "true",
            "IMGPROXY_S3_ALLOWED_BUCKETS": "photos",
        ]
        let text = ImgproxyImport(environment).text
        for secret in ["943b421c", "520f986b", "5ec4e7", "awsawsaws"] { #expect(!text.contains(secret)) }
        #expect(text.contains("\nimgproxy-keys-file = imgproxy-keys\n"))
        #expect(text.contains("\ns3-buckets = photos\n"))
    }

    @Test func `The settings are accepted by the server`() throws {
        let folder = try SettingsFolder()
        let root = folder.path
        let text = ImgproxyImport(
            keys.merging([
                "IMGPROXY_BIND": ":8080", "IMGPROXY_LOCAL_FILESYSTEM_ROOT": root, "IMGPROXY_QUALITY": "70",
                "IMGPROXY_FORMAT_QUALITY": "jpeg=75,webp=60", "IMGPROXY_PRESETS": "default=q:50",
                "IMGPROXY_ALLOWED_SOURCES": "https://*.example.com/,s3://photos/,local://",
                "IMGPROXY_USE_S3": "true", "IMGPROXY_S3_REGION": "eu-central-1", "IMGPROXY_AUTO_WEBP": "true",
                "IMGPROXY_AUTO_AVIF": "true", "IMGPROXY_MAX_SRC_RESOLUTION": "20", "IMGPROXY_TTL": "60",
                "IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": "true", "IMGPROXY_UNKNOWN": "x",
            ]) { $1 }
        ).text
        try folder.write("signing-keys", SettingsFolder.key)
        try folder.write("imgproxy-keys", "00ff 11")
        let aws = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"]
        let settings = try folder.load(text, environment: aws).settings
        #expect(settings.urls.imgproxy?.prefix == "/" && settings.urls.nativePrefix == "/k")
        #expect(settings.urls.sources.buckets == ["photos"])
        #expect(settings.qualities[.JPEG] == 75)
        #expect(settings.formats.map(\.name) == ["AVIF", "WEBP"])
    }

    @Test func `Without keys, URLs of imgproxy are left out`() throws {
        let folder = try SettingsFolder()
        let text = ImgproxyImport(["IMGPROXY_PRESETS": "a=q:1", "IMGPROXY_PATH_PREFIX": "/p"]).text
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("imgproxy-") })
        try folder.write("signing-keys", SettingsFolder.key)
        #expect(try folder.problems(text) == [])
    }

    @Test func `Without variables the file is valid`() throws {
        let folder = try SettingsFolder()
        try folder.write("signing-keys", SettingsFolder.key)
        #expect(try folder.problems(ImgproxyImport([:]).text) == [])
    }
}
