import KingfisherImage

@testable import KingfisherService

/// A service with keys, and paths as the specification writes them: `/S` for a valid signature, `H` for
/// `https://e.com`.
struct NativeFixture {
    static let now = 1_800_000_000
    static let keyBytes = [UInt8](0...31)

    static let webp = ServiceOptions.Format.exactly(ImageFormat(name: "WEBP"))
    static let avif = ServiceOptions.Format.exactly(ImageFormat(name: "AVIF"))

    static func options(_ change: (inout ServiceOptions) -> Void) -> ServiceOptions {
        var options = ServiceOptions()
        change(&options)
        return options
    }

    var settings: ServiceSettings

    init() {
        settings = ServiceSettings(signing: .keys([SigningKey(Self.keyBytes)].compactMap(\.self)))
        settings.presets = [
            "card": "cover:300x200,top/quality:75/frames:all", "small": "downsample:64x64/quality:40",
            "mixed": "bw/quality:80,webp=70/lossless/format:avif/tag:a",
            "hashes": "blurhash/thumbhash",
        ]
        settings.watermarks = ["logo"]
        settings.fallbacks = ["grey"]
        settings.sources.allowsFolder = true
        settings.sources.buckets = ["photos"]
    }

    static func unsigned() -> NativeFixture {
        var fixture = NativeFixture()
        fixture.settings.signing = .off
        return fixture
    }

    /// The path with `/S` and `/info/S` at its start, and `/H/`, replaced.
    func signed(_ path: String) -> String {
        let full = path.replacing("/H/", with: "/https://e.com/")
        let head = full.hasPrefix("/info/S/") ? "/info" : ""
        guard full.hasPrefix(head + "/S/") else { return full }
        let rest = String(full.dropFirst(head.count + 2))
        let signature = NativeSigner(settings.signing).signature(of: head + rest) ?? ""
        return "\(head)/\(signature)\(rest)"
    }

    func read(_ path: String, query: String? = nil, now: Int = now) throws -> ServiceRequest {
        try ServiceURLs(settings).request(path: signed(path), query: query, now: now)
    }

    /// The error of a path; nil if it is a request.
    func failure(_ path: String, query: String? = nil, now: Int = now) throws -> ServiceError? {
        let urls = try ServiceURLs(settings)
        do {
            _ = try urls.request(path: signed(path), query: query, now: now)
            return nil
        } catch {
            return error
        }
    }
}
