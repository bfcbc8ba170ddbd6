import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite struct BodyBufferTests {
    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }

    @Test(
        "Bytes are returned as added, for pieces of any size, with and without an expected length",
        arguments: [0, 1, 262_143, 262_144, 262_145, 3_000_001], [nil, 3_000_001, 100])
    func content(count: Int, expected: Int?) {
        let body = bytes(count)
        var generator = SeededGenerator(seed: UInt64(count))
        var buffer = BodyBuffer()
        if let expected { buffer.reserve(expected) }
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...100_000, using: &generator))
            let capacity = buffer.capacity(adding: piece.count, expected: expected)
            #expect(piece.withUnsafeBytes { buffer.append($0, expected: expected) })
            #expect(buffer.capacity == capacity && capacity >= buffer.count)
            rest = rest.dropFirst(piece.count)
        }
        #expect(buffer.count == count && buffer.bytes == body)
        #expect(buffer.withUnsafeBytes { Data($0) } == body)
        buffer.end()
        #expect(buffer.count == count && buffer.bytes == body && buffer.capacity >= count)
        #expect(buffer.withUnsafeBytes { Data($0) } == body)
    }

    @Test("Memory is reserved up to the announced length, but at most four times the bytes received")
    func growth() {
        let buffer = BodyBuffer()
        let threshold = BodyBuffer.threshold
        #expect(buffer.capacity(adding: 100, expected: 1 << 30) == 100)
        #expect(buffer.capacity(adding: threshold + 1, expected: 1 << 30) == 4 * (threshold + 1))
        #expect(buffer.capacity(adding: threshold + 1, expected: threshold + 9) == threshold + 9)
        #expect(buffer.capacity(adding: threshold + 9, expected: 1) == threshold + 9)
        #expect(buffer.capacity(adding: threshold + 1, expected: nil) == 2 * (threshold + 1))
    }

    @Test("If allocation of a larger block fails, nothing is added and the content stays")
    func noMemory() {
        var buffer = BodyBuffer()
        let body = bytes(BodyBuffer.threshold + 1)
        #expect(!body.withUnsafeBytes { buffer.append($0, expected: nil, allocate: { _ in nil }) })
        #expect(buffer.count == 0)
        #expect(body.withUnsafeBytes { buffer.append($0, expected: nil) })
        let more = bytes(buffer.capacity)
        #expect(!more.withUnsafeBytes { buffer.append($0, expected: nil, allocate: { _ in nil }) })
        #expect(buffer.count == body.count && buffer.bytes == body)
    }

    @Test("A complete body outlives its buffer and can be changed without affecting copies")
    func lifetime() {
        let body = bytes(1_000_000)
        var whole = Data()
        var other = Data()
        do {
            var buffer = BodyBuffer()
            #expect(body.withUnsafeBytes { buffer.append($0, expected: nil) })
            buffer.end()
            (whole, other) = (buffer.bytes, buffer.bytes)
        }
        whole[0] ^= 1
        #expect(other == body && whole != body && whole.dropFirst() == body.dropFirst())
    }
}
