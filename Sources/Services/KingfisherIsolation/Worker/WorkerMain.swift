import CSandbox
import Glibc
package import KingfisherImage

/// The steps of a decoder process: load, lock down, send the greeting, decode until the channel closes.
package enum WorkerMain {
    /// Runs until the parent closes the channel; returns the exit status. `arguments` are parsed by
    /// `WorkerArguments`; only files of codecs with its access are decoded.
    package static func run(
        _ codecs: [any CatalogCodec], video: (any VideoDecoder)? = nil, arguments: [String]
    ) -> Int32 {
        guard let arguments = WorkerArguments(arguments),
            let start = kf_sandbox_map_arena(Int32(kf_sandbox_arena), Arena.maximumBytes)
        else { return 2 }
        let arena = UnsafeMutableRawBufferPointer(start: start, count: Arena.maximumBytes)
        let codecs = codecs.filter { $0.access == arguments.access }
        let video = arguments.access == .video ? video : nil
        guard let report = lockDown(codecs, video, arguments) else { return 2 }
        send(.ready(report))
        let session = WorkerSession(codecs: codecs, arena: arena, video: video) { reply in
            send(reply)
            return receive()
        }
        while let request = receive() { send(session.reply(to: request)) }
        return 0
    }

    /// Loads what the codecs need, then drops all other rights. Nil if that fails.
    private static func lockDown(
        _ codecs: [any CatalogCodec], _ video: (any VideoDecoder)?, _ arguments: WorkerArguments
    ) -> DecoderReport? {
        // Reads the file of the time zone, which lcms2 would do later, for the date of a profile.
        tzset()
        let opensFonts = arguments.access == .fonts
        var usable: [String] = []
        var missing: String?
        if let video {
            (usable, missing) = video.prepare()
        } else if opensFonts {
            // Loads the libraries only: with the first image they start threads.
            codecs.forEach { _ = $0.version }
        } else {
            usable = prepare(codecs)
        }
        guard chdir("/") == 0 else { return nil }
        var measures = kf_sandbox_lower_privileges()
        measures |= closeFiles(except: codecs.flatMap { $0.fontPaths })
        // Threads that start here are also confined.
        if opensFonts { usable = prepare(codecs) }
        PixelMemory.stopSweeps()
        keepOnlyLanguage()
        measures |= kf_sandbox_restrict(arguments.memory, arguments.seconds, opensFonts)
        return DecoderReport(lockDown: LockDown(rawValue: measures), formats: usable, missing: missing)
    }

    /// An SVG may have parts for a language.
    private static func keepOnlyLanguage() {
        let variables = WorkerArguments.languageVariables.compactMap { name in
            getenv(name).map { (name, String(cString: $0)) }
        }
        clearenv()
        for (name, value) in variables { setenv(name, value, 1) }
    }

    private static func closeFiles(except paths: [String]) -> UInt32 {
        let paths = paths.compactMap { strdup($0) }
        defer { paths.forEach { free($0) } }
        return kf_sandbox_close_files(paths.map { UnsafePointer($0) }, paths.count)
    }

    /// Lets the codecs load what they need, and returns the formats that can be decoded.
    private static func prepare(_ codecs: [any CatalogCodec]) -> [String] {
        let context = DecodingContext(
            codecs: CodecRegistry(codecs), limits: ImageLimits(), usesIdleCores: false)
        return context.run { codecs.filter(isUsable).map(\.format.name) }
    }

    private static func isUsable(_ codec: any CatalogCodec) -> Bool {
        let sample = codec.sample
        // The paths of errors also allocate and format.
        _ = try? codec.open(EncodedFile(sample.prefix(sample.count / 2))).decode(.full)
        guard let decoder = try? codec.open(EncodedFile(sample)) else { return false }
        _ = try? decoder.metadata()
        _ = try? decoder.frames()
        return (try? decoder.decode(.exactly(PixelSize(width: 1, height: 1)))) != nil
    }

    private static func receive() -> WorkerRequest? {
        withUnsafeTemporaryAllocation(byteCount: Message.maximumBytes, alignment: 8) { room in
            var count: Int
            repeat {
                count = recv(Int32(kf_sandbox_channel), room.baseAddress, room.count, 0)
            } while count < 0 && errno == EINTR
            guard count > 0 else { return nil }
            return try? WorkerRequest(message: UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
    }

    private static func send(_ reply: WorkerReply) {
        let message = reply.message
        // A parent that no longer listens closes the channel, which ends the loop.
        _ = Glibc.send(
            Int32(kf_sandbox_channel), message, message.count, Int32(MSG_NOSIGNAL))
    }
}
