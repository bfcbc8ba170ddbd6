import Foundation
import FuzzHarness
import Glibc
import Kingfisher
import KingfisherFormats

/// A format that has no target of its own: the one that the variable `FUZZ_FORMAT` names, in lower case.
/// Without the variable, prints the names of all formats of this package.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> Int32 {
    ImageCodecs.registerAll()
    if codec == nil {
        print(ImageCodecs.formats.map { $0.name.lowercased() }.joined(separator: "\n"))
        exit(0)
    }
    return 0
}

private let codec = ImageCodecs.formats
    .first { $0.name.lowercased() == ProcessInfo.processInfo.environment["FUZZ_FORMAT"] }
    .map(registeredCodec)

@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let codec else { return 0 }
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    let limits = ImageLimits(maximumPixels: 1 << 16, maximumFrames: 64, maximumFrameBytes: 1 << 26)
    DecodingContext(limits: limits).run {
        exercise(data, with: codec)
        guard codec.capabilities.contains(.encodesStills), !codec.capabilities.contains(.encodesLossy) else {
            return
        }
        repeatStill(data, with: codec)
    }
    return 0
}
