import Testing

@testable import KingfisherService

/// Settings that the service refuses.
struct SettingsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The setting in the error.
        let name: String
        let settings: ServiceSettings

        init(_ name: String, _ description: String, _ change: (inout ServiceSettings) -> Void) {
            (self.name, testDescription) = (name, "\(name): \(description)")
            var settings = NativeFixture().settings
            settings.imgproxy = ImgproxySettings(keys: [.init(key: [1], salt: [])])
            settings.thumbor = ThumborSettings(key: [1])
            change(&settings)
            self.settings = settings
        }
    }

    static let key = SigningKey(NativeFixture.keyBytes)

    static let routes = [
        Case("native-prefix", "empty") { $0.nativePrefix = "" },
        Case("native-prefix", "no slash") { $0.nativePrefix = "k" },
        Case("native-prefix", "slash at the end") { $0.nativePrefix = "/k/" },
        Case("native-prefix", "two slashes") { $0.nativePrefix = "//" },
        Case("native-prefix", "dot segment") { $0.nativePrefix = "/a/.." },
        Case("native-prefix", "escape") { $0.nativePrefix = "/%61" },
        Case("native-prefix", "not ASCII") { $0.nativePrefix = "/ä" },
        Case("native-prefix", "the same") { $0.nativePrefix = "/thumbor" },
        Case("imgproxy-prefix", "the same as thumbor") { $0.imgproxy?.prefix = "/thumbor" },
        Case("thumbor-prefix", "below info") { $0.thumbor?.prefix = "/info/thumbor" },
        Case("imgproxy-prefix", "unsafe") {
            $0.nativePrefix = "/k"
            $0.imgproxy?.prefix = "/k/unsafe"
        },
    ]
    static let keys = [
        Case("signing-keys-file", "no key") { $0.signing = .keys([]) },
        Case("signing-keys-file", "five keys") {
            $0.signing = .keys([key, key, key, key, key].compactMap(\.self))
        },
        Case("imgproxy-keys-file", "no key") { $0.imgproxy?.keys = [] },
        Case("imgproxy-keys-file", "empty key") { $0.imgproxy?.keys = [.init(key: [], salt: [1])] },
        Case("imgproxy-signature-size", "15") { $0.imgproxy?.signatureSize = 15 },
        Case("imgproxy-signature-size", "33") { $0.imgproxy?.signatureSize = 33 },
        Case("imgproxy-watermark", "unknown") { $0.imgproxy?.watermark = "none" },
        Case("thumbor-key-file", "empty key") { $0.thumbor?.key = [] },
        Case("thumbor-scheme", "ftp") { $0.thumbor?.scheme = "ftp" },
        Case("thumbor-signature-length", "8") { $0.thumbor?.signatureLength = 8 },
    ]
    static let names = [
        Case("preset.a b", "space") { $0.presets["a b"] = "bw" },
        Case("preset.a,b", "comma") { $0.presets["a,b"] = "bw" },
        Case("preset.", "empty") { $0.presets[""] = "bw" },
        Case("preset.x", "no segment") { $0.presets["x"] = "" },
        Case("preset.x", "empty segment") { $0.presets["x"] = "bw//trim" },
        Case("preset.x", "slash at the end") { $0.presets["x"] = "bw/" },
        Case("preset.x", "unknown step") { $0.presets["x"] = "unknown:1" },
        Case("preset.x", "invalid step") { $0.presets["x"] = "blur:x" },
        Case("preset.x", "option twice") { $0.presets["x"] = "quality:1/quality:2" },
        Case("preset.x", "preset") { $0.presets["x"] = "preset:card" },
        Case("preset.x", "source") { $0.presets["x"] = "bw/plain/https:" },
        Case("preset.x", "control character") { $0.presets["x"] = "version:a\nb" },
        Case("preset.x", "watermark") { $0.presets["x"] = "watermark:none" },
        Case("preset.x", "fallback") { $0.presets["x"] = "fallback:none" },
        Case("preset.x", "33 steps") {
            $0.presets["x"] = Array(repeating: "bw", count: 33).joined(separator: "/")
        },
        Case("watermark.a/b", "slash") { $0.watermarks.insert("a/b") },
        Case("fallback.?", "not ASCII") { $0.fallbacks.insert("ä") },
    ]
    static let sources = [
        Case("allowed-sources", "no scheme") { $0.sources.allowed = ["e.com"] },
        Case("allowed-sources", "s3") { $0.sources.allowed = ["s3://photos/"] },
        Case("allowed-sources", "user") { $0.sources.allowed = ["https://e.com", "https://a@e.com/"] },
        Case("allowed-sources", "query") { $0.sources.allowed = ["https://e.com/?a"] },
        Case("allowed-sources", "fragment") { $0.sources.allowed = ["https://e.com/#a"] },
        Case("allowed-sources", "wildcard in the middle") { $0.sources.allowed = ["https://a.*.e.com/"] },
        Case("allowed-sources", "wildcard without a dot") { $0.sources.allowed = ["https://*e.com/"] },
        Case("allowed-sources", "only a wildcard") { $0.sources.allowed = ["https://*/"] },
        Case("allowed-sources", "dot segment") { $0.sources.allowed = ["https://e.com/a/../"] },
        Case("s3-buckets", "slash") { $0.sources.buckets = ["a/b"] },
        Case("s3-buckets", "dots") { $0.sources.buckets = ["..."] },
        Case("source-base", "relative") { $0.sources.base = "photos" },
        Case("source-base", "query") { $0.sources.base = "https://e.com/?a=" },
        Case("source-base", "bucket") { $0.sources.base = "s3://other/" },
        Case("source-base", "no folder") {
            ($0.sources.base, $0.sources.allowsFolder) = ("local:///", false)
        },
    ]
    static let limits = [
        Case("max-result-side", "0") { $0.maximumResultSide = 0 },
        Case("max-result-side", "above the core") { $0.maximumResultSide = 32_769 },
        Case("max-result-pixels", "0") { $0.maximumResultPixels = 0 },
        Case("max-result-pixels", "above the core") { $0.maximumResultPixels = 100_000_001 },
    ]

    @Test(arguments: routes + keys + names + sources + limits)
    func `A bad setting is named`(_ setting: Case) throws {
        let error = try #require(throws: ServiceSettingsError.self) { try ServiceURLs(setting.settings) }
        #expect(error.name == setting.name)
        #expect(!error.reason.isEmpty)
        #expect(error.description == "\(error.name): \(error.reason)")
    }

    @Test(arguments: [
        Case("", "four keys") { $0.signing = .keys([key, key, key, key].compactMap(\.self)) },
        Case("", "imgproxy at /") {
            $0.nativePrefix = "/k"
            $0.imgproxy?.prefix = "/"
        },
        Case("", "signature of 8 bytes") { $0.imgproxy?.signatureSize = 8 },
        Case("", "watermark") { $0.imgproxy?.watermark = "logo" },
        Case("", "signature of 40 characters") { $0.thumbor?.signatureLength = 40 },
        Case("", "allow-list") {
            $0.sources.allowed = ["https://*.e.com/photos", "http://[::1]:8080", "https://e.com"]
        },
        Case("", "base at an origin") { $0.sources.base = "https://e.com" },
        Case("", "base in a bucket") { $0.sources.base = "s3://photos/2026/" },
        Case("", "base in the folder") { $0.sources.base = "local:///2026" },
        Case("", "info elsewhere") {
            $0.nativePrefix = "/k"
            $0.thumbor?.prefix = "/info"
        },
    ])
    func `A good setting is accepted`(_ setting: Case) throws {
        #expect(throws: Never.self) { try ServiceURLs(setting.settings) }
    }

    @Test(arguments: [(31, false), (32, true), (64, true)])
    func `A key has at least 32 bytes`(_ count: Int, isAccepted: Bool) {
        #expect((SigningKey([UInt8](repeating: 0, count: count)) != nil) == isAccepted)
    }
}
