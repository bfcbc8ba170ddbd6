import Foundation
import KingfisherDigests
public import KingfisherImage
import Synchronization

/// Decoder processes that are started when first needed, reused, and ended when idle.
///
/// Safe from any thread. A call waits for a free process on the caller's thread; calls are served in order.
public final class DecoderPool: Sendable {
    /// The processes of the program, with default settings.
    public static let shared = DecoderPool()

    /// How processes are found, limited and reused.
    public let settings: DecoderSettings
    private let groups: [DecoderAccess: DecoderGroup]
    private let refused = Mutex(RefusedFiles())

    /// Creates a pool without processes.
    public init(settings: DecoderSettings = DecoderSettings()) {
        self.settings = settings
        groups = DecoderAccess.allCases.reduce(into: [:]) {
            $0[$1] = DecoderGroup($1, settings: settings)
        }
    }

    func group(_ access: DecoderAccess) -> DecoderGroup {
        guard let group = groups[access] else { preconditionFailure("each access has a group") }
        return group
    }

    /// The path of the decoder, found as `DecoderSettings.executable` says. Throws
    /// `decoderFailed(.unavailable)`.
    public func executablePath() throws(ImageCodecError) -> String {
        try DecoderExecutable.path(settings)
    }

    /// What a decoder that may open `access` tells about itself; starts one if none is running. Throws
    /// `decoderFailed`.
    public func report(_ access: DecoderAccess = .nothing) throws(ImageCodecError) -> DecoderReport {
        try group(access).borrow(nil) { process throws(DecoderFault) in process.report }
    }

    /// Ends idle processes now. Those that work end when they are idle for `DecoderSettings.idleTime`.
    public func endIdleProcesses() {
        groups.values.forEach { $0.endIdleProcesses() }
    }

    /// The identifiers of the running processes, for reports.
    public var processIdentifiers: [Int32] { groups.values.flatMap(\.processIdentifiers) }

    // MARK: Work with a file

    /// Runs `body` with a process whose arena has the file, and refuses a file that made a decoder fail.
    func run<Value>(
        with file: EncodedFile, _ access: DecoderAccess,
        _ body: (DecoderProcess) throws(DecoderFault) -> Value
    ) throws(ImageCodecError) -> Value {
        if let failure = refusal(of: file.data) { throw .decoderFailed(failure) }
        do throws(ImageCodecError) {
            return try group(access).borrow(file.identity) { process throws(DecoderFault) in
                try process.load(file)
                return try body(process)
            }
        } catch .decoderFailed(let failure) {
            if failure.isOfFile { refuse(file.data, failure) }
            throw .decoderFailed(failure)
        }
    }

    private func refusal(of file: Data) -> DecoderFailure? {
        guard refused.withLock({ $0.mayRefuse(count: file.count) }) else { return nil }
        let digest = file.withUnsafeBytes { SHA256.hexDigest(of: $0) }
        return refused.withLock { $0.failure(of: digest, at: .now) }
    }

    private func refuse(_ file: Data, _ failure: DecoderFailure) {
        let digest = file.withUnsafeBytes { SHA256.hexDigest(of: $0) }
        refused.withLock { $0.insert(digest, count: file.count, failure: failure, at: .now) }
    }
}

extension DecoderFailure {
    /// Whether the file is the reason, and not the system.
    fileprivate var isOfFile: Bool {
        switch self {
        case .unavailable, .notLockedDown, .memoryLimit: false
        case .crashed, .forbiddenCall, .timedOut, .violatedProtocol: true
        }
    }
}
