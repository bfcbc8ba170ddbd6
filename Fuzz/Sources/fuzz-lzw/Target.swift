import Foundation
import FuzzHarness
import Kingfisher
import SlowGIF

/// Decodes LZW codes that are nearly all valid: the input selects the codes, not their encoding.
///
/// Mutations of a GIF make invalid codes after a few valid ones, and never reach a full table after thousands
/// of codes.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard input.count >= 5 else { return 0 }
    let (width, height) = (32, 1 + Int(input[1]))
    let codes = CodeStream(following: input.dropFirst(3), codeSize: Int(input[0] % 9), count: width * height)
    let file = gif(codes, width: width, height: height, blockLength: max(1, Int(input[2])))
    let expected = SlowLZW.unpack(codes.bytes, codeSize: codes.codeSize, count: width * height)
    let pixels = try? opened(file, by: registeredCodec(for: .GIF))?.decode(.full).pixels()
    precondition(
        pixels?.map { UInt8(truncatingIfNeeded: $0) } == expected, "indices differ from a slow decoder")
    return 0
}

/// A GIF with one frame, whose colours are equal to their indices.
private func gif(_ codes: CodeStream, width: Int, height: Int, blockLength: Int) -> Data {
    func word(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
    let size = word(width) + word(height)
    var file = Data("GIF89a".utf8) + size + [0xF7, 0, 0]
    for level in UInt8.min...UInt8.max { file += [level, level, level] }
    file += [0x2C, 0, 0, 0, 0] + size + [0, UInt8(codes.codeSize)]
    for start in stride(from: 0, to: codes.bytes.count, by: blockLength) {
        let block = codes.bytes[start..<min(start + blockLength, codes.bytes.count)]
        file += [UInt8(block.count)] + block
    }
    return file + [0, 0x3B]
}
