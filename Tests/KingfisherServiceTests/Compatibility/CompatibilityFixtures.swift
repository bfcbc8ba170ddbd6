import Foundation
import KingfisherDigests
import Testing

@testable import KingfisherService

/// Readers without signatures, and what they make of a path.
enum Fixture {
    static let source = "plain/https://e.com/a.jpg"
    static let now = 1_700_000_000

    static func settings(_ change: (inout ServiceSettings) -> Void = { _ in }) -> ServiceSettings {
        var settings = ServiceSettings(signing: .off)
        settings.imgproxy = ImgproxySettings(keys: [])
        settings.thumbor = ThumborSettings(key: Array("key".utf8))
        change(&settings)
        return settings
    }

    /// The request of an imgproxy path after the signature.
    static func imgproxy(
        _ path: String, _ settings: ServiceSettings = settings(), now: Int = now
    ) throws(ServiceError) -> ServiceRequest {
        try ImgproxyReader(settings).request("any/\(path)"[...], now: now)
    }

    /// The request of a thumbor path after the signature.
    static func thumbor(
        _ path: String, _ settings: ServiceSettings = settings(), now: Int = now
    ) throws(ServiceError) -> ServiceRequest {
        try ThumborReader(settings).request("unsafe/\(path)"[...], now: now)
    }

    /// The error of a request; nil if there is none.
    static func error(_ request: () throws(ServiceError) -> ServiceRequest) -> ServiceError? {
        do {
            _ = try request()
            return nil
        } catch {
            return error
        }
    }

    static func options(_ change: (inout ServiceOptions) -> Void) -> ServiceOptions {
        var options = ServiceOptions()
        change(&options)
        return options
    }

    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// A URL of a source as it is in a request.
    static func http(_ text: String) throws -> ServiceSource {
        .http(try #require(URL(string: text)))
    }
}

extension ServiceRequest {
    var texts: [String] { steps.map(\.text) }
}
