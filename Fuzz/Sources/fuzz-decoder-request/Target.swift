import Foundation
@testable import KingfisherImage

@testable import KingfisherIsolation

/// The decoder's side of the protocol: requests of a program, with a file in an arena. The input is a length
/// of one byte, a request of that length, and the file.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let bytes, count > 0 else { return 0 }
    let length = min(Int(bytes[0]), count - 1)
    let message = UnsafeRawBufferPointer(start: bytes + 1, count: length)
    let file = UnsafeRawBufferPointer(start: bytes + 1 + length, count: count - 1 - length)
    guard var request = try? WorkerRequest(message: message) else { return 0 }
    request.message.withUnsafeBytes { same in
        precondition(
            (try? WorkerRequest(message: same))?.message == request.message, "a request is read differently")
    }
    let arena = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
    defer { arena.deallocate() }
    arena.initializeMemory(as: UInt8.self, repeating: 0)
    arena.copyBytes(from: file.prefix(arena.count))
    if case .perform(var job) = request {
        job.file.limits = ImageLimits(
            maximumPixels: 1 << 16, maximumFrames: 50, maximumAnimationPixels: 1 << 20,
            maximumFrameBytes: 4 << 20, maximumMetadataBytes: 1 << 16)
        request = .perform(job)
    }
    let session = WorkerSession(codecs: [PNGCodec(), GIFCodec()], arena: arena)
    check(session.reply(to: request), arena)
    check(session.reply(to: .deliver(OutputArea(offset: 1 << 15, count: 1 << 15))), arena)
    return 0
}

private func check(_ reply: WorkerReply, _ arena: UnsafeMutableRawBufferPointer) {
    let message = reply.message
    precondition(message.count <= Message.maximumBytes, "a reply is longer than a message")
    switch reply {
    case .pixels(let shape): precondition(shape.byteCount <= arena.count, "pixels outside of the arena")
    case .bytes(let count): precondition(count <= arena.count, "bytes outside of the arena")
    default: break
    }
    message.withUnsafeBytes { bytes in
        precondition((try? WorkerReply(message: bytes)) != nil, "the program does not read a reply")
    }
}
