import KingfisherImage
import Testing

@testable import KingfisherService

private let opaque = ServiceSourceFacts(format: .JPEG, isOpaque: true)
private let transparent = ServiceSourceFacts(format: .PNG, isOpaque: false)
private let animation = ServiceSourceFacts(format: .GIF, isOpaque: false, isAnimated: true)
private let opaqueHEIC = ServiceSourceFacts(format: .sampleHEIC, isOpaque: true)
private let transparentHEIC = ServiceSourceFacts(format: .sampleHEIC, isOpaque: false)
private let animatedHEIC = ServiceSourceFacts(format: .sampleHEIC, isOpaque: true, isAnimated: true)
private let animatedAVIF = ServiceSourceFacts(format: .sampleAVIF, isOpaque: true, isAnimated: true)

struct FormatNegotiationTests {
    private func format(
        _ request: ServiceRequest, _ accept: String, _ source: ServiceSourceFacts,
        _ negotiation: FormatNegotiation = .sample()
    ) throws -> String {
        let accepted = negotiation.acceptClass(AcceptHeader([accept]), mayAnimate: source.isAnimated)
        return try negotiation.format(of: request, for: accepted, source).name
    }

    @Test(
        arguments: [
            ("image/avif,image/webp,*/*", opaque, "AVIF"), ("image/webp,image/avif", opaque, "AVIF"),
            ("image/webp;q=1,image/avif;q=0.1", transparent, "AVIF"), ("image/webp,*/*", opaque, "WEBP"),
            ("image/avif;q=0,image/webp", transparent, "WEBP"), ("image/avif", opaque, "AVIF"),
            ("*/*", opaque, "JPEG"), ("image/*", transparent, "PNG"), ("", opaque, "JPEG"),
            ("", transparent, "PNG"), ("image/jxl", opaque, "JPEG"), ("image/png", opaque, "JPEG"),
            ("image/avif;q=0,image/webp;q=0.000", transparent, "PNG"),
            ("image/avif,image/webp", animation, "WEBP"), ("image/webp", animatedHEIC, "WEBP"),
            ("image/avif", animation, "GIF"), ("*/*", animation, "GIF"), ("", animatedHEIC, "GIF"),
        ])
    func `An open format is the first accepted one, or the fallback`(
        _ accept: String, _ source: ServiceSourceFacts, _ expected: String
    ) throws {
        #expect(try format(.sample(), accept, source) == expected)
    }

    @Test(
        arguments: [
            (ServiceRequest.sample(.exactly(.PNG)), opaque, "PNG"),
            (.sample(.exactly(.JPEG)), transparent, "JPEG"),
            (.sample(.exactly(.sampleAVIF)), animation, "AVIF"), (.sample(.original), opaque, "JPEG"),
            (.sample(.original), animation, "GIF"), (.sample(.original), animatedAVIF, "AVIF"),
            (.sample(.original), opaqueHEIC, "WEBP"), (.sample(.original), animatedHEIC, "WEBP"),
            (.sample(isNegotiable: false), opaque, "JPEG"),
            (.sample(isNegotiable: false), opaqueHEIC, "JPEG"),
            (.sample(isNegotiable: false), transparentHEIC, "PNG"),
            (.sample(isNegotiable: false), animatedHEIC, "GIF"),
            (.sample(.original, isNegotiable: false), transparentHEIC, "PNG"),
        ])
    func `A fixed format and the source's one ignore Accept`(
        _ request: ServiceRequest, _ source: ServiceSourceFacts, _ expected: String
    ) throws {
        #expect(try format(request, "image/webp", source) == expected)
    }

    @Test func `A named format that cannot be written is 422`() {
        #expect(throws: ServiceError(422, "This service cannot write HEIC files.")) {
            try format(.sample(.exactly(.sampleHEIC)), "", opaque)
        }
    }

    @Test(
        arguments: [
            ([ImageFormat.sampleWebP, .sampleAVIF], "image/avif,image/webp", "WEBP"),
            ([.sampleJXL, .sampleAVIF, .sampleWebP], "image/avif,image/webp,image/jxl", "JXL"),
            ([.sampleHEIC, .sampleWebP], "image/heic,image/webp", "WEBP"), ([.JPEG], "image/jpeg", "PNG"),
            ([], "image/avif,image/webp", "PNG"),
            ([.sampleAVIF, .sampleWebP, .sampleJXL, .GIF], "image/gif", "PNG"),
        ])
    func `Only the first three formats that can be written are offered, in their order`(
        _ formats: [ImageFormat], _ accept: String, _ expected: String
    ) throws {
        #expect(try format(.sample(), accept, transparent, .sample(formats)) == expected)
    }

    @Test(
        arguments: [[ImageFormat.sampleAVIF], [.sampleAVIF, .sampleJXL]])
    func `Without WebP among the formats an animation is a GIF`(_ formats: [ImageFormat]) throws {
        let accept = "image/avif,image/webp,image/jxl"
        #expect(try format(.sample(), accept, animation, .sample(formats)) == "GIF")
    }

    @Test func `Without animated WebP an animation is a GIF`() throws {
        let negotiation = FormatNegotiation(
            formats: [.sampleWebP], stills: [.sampleWebP, .JPEG, .PNG], animations: [.GIF])
        #expect(try format(.sample(), "image/webp", animation, negotiation) == "GIF")
        #expect(try format(.sample(), "image/webp", opaque, negotiation) == "WEBP")
    }
}

struct AcceptClassTests {
    /// Every subset of five types, in two orders and with weights of 0.
    private static let fields: [AcceptHeader] = (0..<32).flatMap { bits in
        let names = ["avif", "webp", "jxl", "png", "*"].enumerated()
        let accepted = names.filter { bits >> $0.offset & 1 == 1 }.map { "image/\($0.element)" }
        let weighted = names.map { "image/\($0.element);q=\(bits >> $0.offset & 1)" }
        return [accepted, accepted.reversed(), weighted].map { AcceptHeader([$0.joined(separator: ",")]) }
    }

    @Test(
        arguments: [
            [ImageFormat](), [.sampleWebP], [.sampleAVIF], [.sampleAVIF, .sampleWebP],
            [.sampleWebP, .sampleAVIF], [.sampleAVIF, .sampleWebP, .sampleJXL],
            [.sampleJXL, .sampleAVIF, .sampleWebP], [.sampleWebP, .sampleJXL, .sampleAVIF, .PNG],
        ], [false, true])
    func `There are no more classes than formats and one, and at most four`(
        _ formats: [ImageFormat], _ mayAnimate: Bool
    ) {
        let negotiation = FormatNegotiation.sample(formats)
        let classes = Set(Self.fields.map { negotiation.acceptClass($0, mayAnimate: mayAnimate) })
        #expect(classes.count <= min(formats.count + 1, 4))
        #expect(Set(classes.map(\.name)).count == classes.count)
        #expect(mayAnimate || classes.count == min(formats.count, 3) + 1)
    }

    @Test(
        arguments: [
            ("image/avif,image/webp", false, "avif"), ("image/avif,image/webp", true, "avif-webp"),
            ("image/webp", false, "webp"), ("image/webp", true, "webp-webp"), ("*/*", false, "plain"),
            ("image/avif", false, "avif"), ("image/avif", true, "plain"),
        ])
    func `A class is named by its formats`(_ accept: String, _ mayAnimate: Bool, _ expected: String) {
        let accepted = FormatNegotiation.sample().acceptClass(AcceptHeader([accept]), mayAnimate: mayAnimate)
        #expect(accepted.name == expected)
    }
}
