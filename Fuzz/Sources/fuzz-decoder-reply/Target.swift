import Foundation
import Kingfisher

@testable import KingfisherIsolation

/// The program's side of the protocol: what a decoder that was taken over may send. The first byte selects a
/// message or a payload.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let bytes, count > 0 else { return 0 }
    let rest = UnsafeRawBufferPointer(start: bytes + 1, count: count - 1)
    let limits = ImageLimits(maximumFrames: 1_000)
    switch bytes[0] % 4 {
    case 0: reply(rest)
    case 1: facts(rest, limits)
    case 2: frames(rest, limits)
    default: metadata(rest)
    }
    return 0
}

private func reply(_ bytes: UnsafeRawBufferPointer) {
    guard let reply = try? WorkerReply(message: bytes) else { return }
    let message = reply.message
    // Control characters in texts are replaced, so a second reading must change nothing.
    message.withUnsafeBytes { bytes in
        precondition((try? WorkerReply(message: bytes))?.message == message, "a reply is read differently")
    }
    if case .pixels(let shape) = reply {
        precondition(!shape.size.isEmpty && shape.byteCount >= shape.size.area, "a shape without pixels")
    }
}

private func facts(_ bytes: UnsafeRawBufferPointer, _ limits: ImageLimits) {
    guard let facts = try? FileDescription(payload: bytes, limits: limits) else { return }
    precondition(!facts.header.size.isEmpty, "a header without size")
    precondition(facts.header.frameCount <= limits.maximumFrames, "too many frames")
    facts.payload.withUnsafeBytes { bytes in
        precondition(
            (try? FileDescription(payload: bytes, limits: limits)) == facts, "a header is read differently")
    }
}

private func frames(_ bytes: UnsafeRawBufferPointer, _ limits: ImageLimits) {
    guard let facts = try? FramesDescription(payload: bytes, limits: limits, fileCount: 100) else { return }
    precondition(facts.durations.count <= limits.maximumFrames, "too many frames")
    precondition((facts.file?.count ?? 0) <= 100, "a file that has grown")
}

private func metadata(_ bytes: UnsafeRawBufferPointer) {
    guard let blocks = try? ImageMetadataBlocks(payload: bytes) else { return }
    precondition(blocks.byteCount <= ImageMetadataBlocks.maximumBytes, "too much metadata")
    blocks.payload.withUnsafeBytes { bytes in
        precondition((try? ImageMetadataBlocks(payload: bytes)) == blocks, "metadata is read differently")
    }
}
