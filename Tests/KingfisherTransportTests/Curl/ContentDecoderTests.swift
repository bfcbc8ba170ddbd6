import CZlib
import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

@Suite struct ContentDecoderTests {
    /// The output of a decoder for input in pieces.
    private func decoded(_ packed: Data, _ field: String, by size: Int = 4_000) throws(TransportError) -> Data
    {
        let decoder = try ContentDecoder(field)
        var plain = Data()
        var rest = packed[...]
        while !rest.isEmpty {
            rest.prefix(size).withUnsafeBytes { decoder.append($0) }
            rest = rest.dropFirst(size)
            while let piece = try decoder.next() {
                plain.append(contentsOf: piece)
                decoder.take()
            }
        }
        return plain
    }

    /// Data compressed by zlib in one of its formats (zlib.h, deflateInit2).
    private static func deflated(_ data: Data, window: Int32) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var (input, output) = ([UInt8](data), [UInt8](repeating: 0, count: data.count + 1_000))
        input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                deflate(&stream, Z_FINISH)
            }
        }
        return Data(output.dropLast(Int(stream.avail_out)))
    }

    @Test("Every offered encoding is decoded, for input in pieces of any size", arguments: [1, 7, 16_384])
    func offeredEncodings(size: Int) throws {
        let plain = bytes(100_000)
        let gzip = Gzip.packed(plain)
        #expect(try decoded(gzip, "gzip", by: size) == plain)
        #expect(try decoded(gzip, "X-GZip", by: size) == plain)
        #expect(try decoded(Self.deflated(plain, window: 15), "deflate", by: size) == plain)
        #expect(try decoded(Self.deflated(plain, window: -15), "deflate", by: size) == plain)
        #expect(try decoded(Gzip.packed(gzip), "gzip, gzip", by: size) == plain)
        let mixed = Self.deflated(gzip, window: 15)
        #expect(try decoded(mixed, "identity, gzip , deflate", by: size) == plain)
    }

    @Test("Bytes after the end are dropped")
    func surplusBytes() throws {
        let plain = bytes(10)
        #expect(try decoded(Gzip.packed(plain) + bytes(50_000), "gzip") == plain)
    }

    @Test("Unknown encodings are ignored, and known ones beside them decoded")
    func unknownEncodings() throws {
        let plain = bytes(1_000)
        #expect(try decoded(Gzip.packed(plain), "aws-chunked,gzip") == plain)
        #expect(try decoded(Gzip.packed(plain), "gzip, utf-8") == plain)
        for field in ["base64", "aws-chunked", "utf-8, binary", "identity, rot13"] {
            #expect(!ContentDecoder.isNeeded(for: field))
        }
    }

    @Test(
        "Registered encodings that are not supported are undecodable",
        arguments: ["br", "zstd", "compress", "x-compress", "dcb", "dcz"])
    func unsupportedEncodings(_ name: String) {
        for field in [name, "gzip, \(name.uppercased())", "\(name), base64"] {
            #expect(ContentDecoder.isNeeded(for: field))
            #expect {
                try decoded(Data("x".utf8), field)
            } throws: { error in
                if case .undecodable = error as? TransportError { true } else { false }
            }
        }
    }

    @Test("Malformed data and too many encodings are undecodable")
    func undecodableBodies() {
        var corrupt = Gzip.packed(bytes(1_000))
        corrupt[corrupt.count / 2] ^= 0xFF
        for (packed, field) in [
            (Data("this is plain text".utf8), "gzip"), (Data("this is plain text".utf8), "deflate"),
            (corrupt, "gzip"),
            (Data("x".utf8), Array(repeating: "gzip", count: 5).joined(separator: ",")),
        ] {
            #expect {
                try decoded(packed, field)
            } throws: { error in
                if case .undecodable = error as? TransportError { true } else { false }
            }
        }
    }

    @Test("A body is decoded only as far as it is taken")
    func decodesLazily() throws {
        let decoder = try ContentDecoder("gzip, gzip")
        Gzip.packed(Gzip.zeros(64 << 20)).withUnsafeBytes { decoder.append($0) }
        let first = try #require(try decoder.next())
        #expect(first.count == 16 << 10)
        #expect(try decoder.next()?.baseAddress == first.baseAddress, "the same piece until it is taken")
        decoder.take()
        #expect(try decoder.next()?.count == 16 << 10)
    }

    @Test(arguments: ["", "identity", " Identity, none"]) func identityNeedsNoDecoder(_ field: String) {
        #expect(!ContentDecoder.isNeeded(for: field))
    }
}
