import Kingfisher
import KingfisherDigests
import Testing

@testable import KingfisherService

/// Signatures and paths with changes: none passes.
struct MutationTests {
    static let rests = [
        "/plain/https://e.com/a.jpg", "/bw/blur:5/plain/https://e.com/a.jpg@webp",
        "/trim/b64/aHR0cHM6Ly9lLmNvbS9h.png",
        "/preset:card/quality:60/tag:a,b/plain/https://e.com/%E4%B8%AD.jpg",
        "/plain/s3://photos/2026/a%20b.jpg",
        "/expires:1893456000/rotate:90/upload@webp", "/round:50%25w/flip:horizontal/plain/local:///a/b.jpg",
    ]

    typealias Mutation = @Sendable (String, String, inout RandomNumbers) -> (signature: String, rest: String)

    /// Each changes a valid signature or its path.
    static let mutations: [Mutation] = [
        { (flipped($0, &$2), $1) }, { ($0, flipped($1, &$2)) },
        { (truncated($0, &$2), $1) }, { ($0, truncated($1, &$2)) },
        { ($0 + ["=", "A", "%3D", "==", "."][Int.random(in: 0..<5, using: &$2)], $1) },
        { ($0, $1 + ["=", "/", "@png", "%20", "a"][Int.random(in: 0..<5, using: &$2)]) },
        { (withOtherCase($0, &$2), $1) }, { ($0, withOtherCase($1, &$2)) },
        { (String($0.reversed()), $1 + ($2.chance(50) ? "" : "a")) },
        { _, rest, numbers in (signature(rest, keys(&numbers)), rest) },
        { _, rest, _ in
            let code = HMAC.code(of: NativeFixture.keyBytes, key: Array("kingfisher-1\n\(rest)".utf8))
            return (Base64URL.encode(code), rest)
        },
        { ($0, withSwappedSegments($1, &$2)) },
        { ($0, withMovedSegment($1, &$2)) },
    ]

    @Test func `10000 mutated signatures and paths are refused`() throws {
        let fixture = NativeFixture()
        let urls = try ServiceURLs(fixture.settings)
        let signer = NativeSigner(fixture.settings.signing)
        var numbers = RandomNumbers(seed: 43)
        var (refused, counts) = (0, [Int](repeating: 0, count: Self.mutations.count))
        // Bounded: a mutation that changes nothing is drawn again.
        for index in 0..<20_000 where refused < 10_000 {
            let rest = try #require(Self.rests.randomElement(using: &numbers))
            let head = numbers.chance(20) ? "/info" : ""
            let signature = try #require(signer.signature(of: head + rest))
            let kind = index % Self.mutations.count
            let mutated = Self.mutations[kind](signature, rest, &numbers)
            let path = "\(head)/\(mutated.signature)\(mutated.rest)"
            guard Array(path.utf8) != Array("\(head)/\(signature)\(rest)".utf8) else { continue }
            let error = #expect(throws: ServiceError.self, "\(path)") {
                try urls.request(path: path, now: NativeFixture.now)
            }
            #expect([400, 403].contains(error?.status), "\(path)")
            refused += 1
            counts[kind] += 1
        }
        #expect(refused == 10_000)
        #expect(counts.allSatisfy { $0 > 300 })
    }

    // MARK: Mutations

    private static func flipped(_ text: String, _ numbers: inout RandomNumbers) -> String {
        var bytes = Array(text.utf8)
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] ^=
            1 << UInt8.random(in: 0..<8, using: &numbers)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func truncated(_ text: String, _ numbers: inout RandomNumbers) -> String {
        String(text.prefix(Int.random(in: 0..<text.count, using: &numbers)))
    }

    private static func withOtherCase(_ text: String, _ numbers: inout RandomNumbers) -> String {
        var bytes = Array(text.utf8)
        let letters = bytes.indices.filter {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[$0] | 0x20)
        }
        if let index = letters.randomElement(using: &numbers) { bytes[index] ^= 0x20 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the key in another order.
    private static func keys(_ numbers: inout RandomNumbers) -> [UInt8] {
        let shuffled = NativeFixture.keyBytes.shuffled(using: &numbers)
        return shuffled == NativeFixture.keyBytes ? shuffled.reversed() : shuffled
    }

    private static func signature(_ rest: String, _ key: [UInt8]) -> String {
        Base64URL.encode(HMAC.code(of: Array("kingfisher-1\n\(rest)".utf8), key: key))
    }

    private static func withSwappedSegments(_ rest: String, _ numbers: inout RandomNumbers) -> String {
        var segments = rest.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
            String.init)
        segments.swapAt(
            Int.random(in: 0..<segments.count, using: &numbers),
            Int.random(in: 0..<segments.count, using: &numbers))
        return "/" + segments.joined(separator: "/")
    }

    private static func withMovedSegment(_ rest: String, _ numbers: inout RandomNumbers) -> String {
        var segments = rest.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
            String.init)
        let segment = segments.remove(at: Int.random(in: 0..<segments.count, using: &numbers))
        segments.insert(segment, at: Int.random(in: 0...segments.count, using: &numbers))
        return "/" + segments.joined(separator: "/")
    }
}
