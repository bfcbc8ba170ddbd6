import CSandbox
import Foundation
import Glibc
package import KingfisherImage

/// A codec of a decoder process, and a tiny file of its format.
package struct WorkerFormat: Sendable {
    package let codec: any ImageCodec
    /// Decoded before the lock-down, so that libraries and tables are loaded and allocated.
    package let sample: Data
    /// Loads what the sample does not, such as fonts; called before the lock-down.
    let prepare: @Sendable () -> Void

    package init(
        _ codec: any ImageCodec, sample: Data, prepare: @escaping @Sendable () -> Void = {}
    ) {
        self.codec = codec
        self.sample = sample
        self.prepare = prepare
    }
}

/// The life of a decoder process: load, lock down, greet, decode until the channel closes.
package enum WorkerMain {
    /// Runs until the parent closes the channel; returns the exit status. `arguments` are the bytes of memory
    /// and the seconds of CPU time that the process may use.
    package static func run(_ formats: [WorkerFormat], arguments: [String]) -> Int32 {
        guard arguments.count == 2, let memory = UInt64(arguments[0]), let seconds = UInt64(arguments[1]),
            let start = sandbox_map_arena(Int32(sandbox_arena), Arena.maximumBytes)
        else { return 2 }
        let arena = UnsafeMutableRawBufferPointer(start: start, count: Arena.maximumBytes)
        let usable = prepare(formats)
        PixelMemory.stopSweeps()
        clearenv()
        // Reads the file of the time zone, which lcms2 would do later, for the date of a profile.
        tzset()
        guard chdir("/") == 0 else { return 2 }
        let measures = LockDown(rawValue: sandbox_lock_down(memory, seconds))
        send(.ready(DecoderFacts(lockDown: measures, formats: usable)))
        let session = WorkerSession(codecs: formats.map(\.codec), arena: arena)
        while let request = receive() { send(session.reply(to: request)) }
        return 0
    }

    /// Loads what the codecs need, and returns the formats that can be decoded.
    private static func prepare(_ formats: [WorkerFormat]) -> [String] {
        let context = DecodingContext(
            codecs: CodecRegistry(formats.map(\.codec)), limits: ImageLimits(), usesIdleCores: false)
        return context.run {
            formats.filter(isUsable).map(\.codec.format.name)
        }
    }

    private static func isUsable(_ format: WorkerFormat) -> Bool {
        format.prepare()
        // The paths of errors allocate and format, too.
        _ = try? format.codec.decode(format.sample.prefix(format.sample.count / 2), minimumSize: nil)
        _ = try? format.codec.metadataBlocks(of: format.sample)
        _ = try? format.codec.frameSource(for: format.sample)
        return
            (try? format.codec.decode(
                format.sample, shrunkTo: PixelSize(width: 1, height: 1))) != nil
    }

    private static func receive() -> WorkerRequest? {
        withUnsafeTemporaryAllocation(byteCount: Message.maximumBytes, alignment: 8) { room in
            var count: Int
            repeat {
                count = recv(Int32(sandbox_channel), room.baseAddress, room.count, 0)
            } while count < 0 && errno == EINTR
            guard count > 0 else { return nil }
            return try? WorkerRequest(message: UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
    }

    private static func send(_ reply: WorkerReply) {
        let message = reply.message
        // A parent that no longer listens closes the channel, which ends the loop.
        _ = Glibc.send(
            Int32(sandbox_channel), message, message.count, Int32(MSG_NOSIGNAL))
    }
}
