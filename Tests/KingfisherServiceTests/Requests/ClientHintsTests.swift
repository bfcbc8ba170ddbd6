import Kingfisher
import Testing

@testable import KingfisherService

struct ClientHintsTests {
    private func width(_ current: [String], legacy: [String] = []) -> Int? {
        ClientHints { $0 == "Sec-CH-Width" ? current : $0 == "Width" ? legacy : [] }.width
    }

    @Test(
        arguments: [
            (["320"], [], 320), ([], ["320"], 320), (["320"], ["640"], 320), (["x"], ["640"], 640),
            (["0320"], [], 320), ([], [], nil), (["320", "640"], [], nil), (["0"], [], nil),
            (["-320"], [], nil),
            (["320.5"], [], nil), (["320px"], [], nil), (["1234567890"], [], nil), ([""], [], nil),
            (["３２０"], [], nil), (["320, 640"], [], nil),
        ] as [([String], [String], Int?)])
    func `A width is one whole number, and anything else is ignored`(
        _ current: [String], _ legacy: [String], _ expected: Int?
    ) {
        #expect(width(current, legacy: legacy) == expected)
    }

    private func steps(_ texts: [String], hint: String, _ widths: [Int] = [160, 320]) throws -> [String] {
        var request = ServiceRequest.sample { $0.usesHints = true }
        request.steps = try texts.map { try .init($0) }
        let hints = ClientHints { $0 == "Sec-CH-Width" ? [hint] : [] }
        return request.fitting(hints, widths: widths).steps.map(\.text)
    }

    @Test(
        arguments: [
            (["fit:640x480"], "300", ["fit:320x240"]), (["fit:640x480"], "320", ["fit:320x240"]),
            (["fit:640x480"], "1", ["fit:160x120"]), (["fit:640x480"], "321", ["fit:640x480"]),
            (["fit:200x100"], "200", ["fit:200x100"]), (["fit:640x0"], "10", ["fit:160x0"]),
            (["fit:0x480"], "10", ["fit:0x480"]), (["bw"], "10", ["bw"]),
            (["cover:640x320,top,enlarge"], "10", ["cover:160x80,top,enlarge"]),
            (["cover:640x1,0.1,0.2"], "10", ["cover:160x1,0.1,0.2"]),
            (["crop:800x800", "resize:640x480,fit"], "10", ["crop:800x800", "resize:160x120,fit"]),
            (["downsample:640x480", "fit:400x400"], "10", ["downsample:160x120", "fit:400x400"]),
        ] as [([String], String, [String])])
    func `The first box shrinks to the next width and keeps its ratio`(
        _ texts: [String], _ hint: String, _ expected: [String]
    ) throws {
        #expect(try steps(texts, hint: hint) == expected)
    }

    @Test func `Without the option or widths nothing changes, and all hints give no more steps than widths`()
        throws
    {
        #expect(try steps(["fit:640x480"], hint: "10", []) == ["fit:640x480"])
        let all = try Set((1...3_000).map { try steps(["fit:640x480"], hint: "\($0)") })
        #expect(all.count == 3)
        var request = ServiceRequest.sample()
        request.steps = [try .init("fit:640x480")]
        #expect(request.fitting(ClientHints { _ in ["10"] }, widths: [160]) == request)
    }
}
