import Foundation
import KingfisherImage

@testable import Kingfisher
@testable import KingfisherService

extension ImageFormat {
    static let sampleAVIF = ImageFormat(name: "AVIF")
    static let sampleWebP = ImageFormat(name: "WEBP")
    static let sampleJXL = ImageFormat(name: "JXL")
    static let sampleHEIC = ImageFormat(name: "HEIC")
}

extension FormatNegotiation {
    static func sample(_ formats: [ImageFormat] = [.sampleAVIF, .sampleWebP]) -> FormatNegotiation {
        FormatNegotiation(
            formats: formats,
            stills: [.JPEG, .PNG, .GIF, .APNG, .sampleAVIF, .sampleWebP, .sampleJXL],
            animations: [.GIF, .APNG, .sampleAVIF, .sampleWebP, .sampleJXL])
    }
}

extension ServiceSource {
    static let sample = ServiceSource.http(URL(filePath: "/").asExampleURL)
}

extension URL {
    /// `https://e.com/secret/a.jpg`, without an optional.
    fileprivate var asExampleURL: URL {
        URL(string: "https://e.com/secret/a.jpg?token=1") ?? self
    }
}

extension ServiceRequest {
    static func sample(
        _ format: ServiceOptions.Format = .negotiated, isNegotiable: Bool = true, kind: Kind = .image,
        source: ServiceSource = .sample, _ change: (inout ServiceOptions) -> Void = { _ in }
    ) -> ServiceRequest {
        var options = ServiceOptions()
        options.format = format
        change(&options)
        return ServiceRequest(kind: kind, options: options, source: source, isNegotiable: isNegotiable)
    }
}

extension ServiceResponseRules {
    static func sample(_ change: (inout ServiceResponseSettings) -> Void = { _ in }) -> ServiceResponseRules {
        var settings = ServiceResponseSettings(negotiation: .sample())
        change(&settings)
        return ServiceResponseRules(settings)
    }
}

extension ServiceResponseContext {
    static func sample(_ request: ServiceRequest? = .sample(), accept: [String] = []) -> Self {
        var context = ServiceResponseContext(request, now: 1_700_000_000)
        context.accept = AcceptHeader(accept)
        return context
    }
}

extension CachedFileResponse {
    /// The response to a request with these fields for 100 bytes of WebP.
    static func sample(_ header: [String: String] = [:], method: String = "GET") -> CachedFileResponse {
        CachedFileResponse(
            byteCount: 100, entityTag: "\"abc\"", mediaType: "image/webp",
            conditions: .init(
                range: method == "GET" ? header["Range"] : nil, ifRange: header["If-Range"],
                ifNoneMatch: header["If-None-Match"]))
    }
}
