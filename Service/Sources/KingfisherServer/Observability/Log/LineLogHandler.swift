import Foundation
import Glibc
public import Logging
import Synchronization

/// Where lines of the log go: a file descriptor, by one `write` for each line.
///
/// A line that the descriptor does not take, because it would block or its reader has gone, is dropped and
/// counted. The program ignores SIGPIPE, as one with SwiftNIO does. Safe from any thread.
public final class LogOutput: Sendable {
    /// Writes to standard error.
    public static let standardError = LogOutput(descriptor: 2)

    private let descriptor: Int32
    private let drops = Atomic<Int>(0)

    /// Writes to a descriptor, which stays open.
    public init(descriptor: Int32) { self.descriptor = descriptor }

    /// The number of lines that were not written, or not as a whole.
    public var droppedLines: Int { drops.load(ordering: .relaxed) }

    func write(_ line: [UInt8]) {
        while true {
            let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count == line.count { return }
            if count < 0, errno == EINTR { continue }
            drops.add(1, ordering: .relaxed)
            return
        }
    }
}

/// A handler of swift-log that writes one line for each message.
public struct LineLogHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?

    private let json: Bool
    private let output: LogOutput
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64

    /// Creates a handler that writes text, or objects of JSON.
    public init(level: Logger.Level = .info, json: Bool, to output: LogOutput = .standardError) {
        self.init(level: level, json: json, to: output, now: Self.clock)
    }

    init(level: Logger.Level, json: Bool, to output: LogOutput, now: @escaping @Sendable () -> Int64) {
        (logLevel, self.json, self.output, self.now) = (level, json, output, now)
    }

    /// A logger of the server. An unknown level is info.
    public static func logger(
        level: String, json: Bool, to output: LogOutput = .standardError
    ) -> Logger {
        let level = Logger.Level(rawValue: level) ?? .info
        return Logger(label: "kingfisher-server") { _ in
            LineLogHandler(level: level, json: json, to: output)
        }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var fields = event.metadata ?? [:]
        // The text of an error may contain a URL; its type does not.
        if let error = event.error { fields["error.type"] = .string("\(type(of: error))") }
        write(event.level, event.message.description, Self.fields(fields))
    }

    /// Writes a line with these fields, followed by those of the handler.
    func write(_ level: Logger.Level, _ message: String, _ fields: [LogLine.Field]) {
        var all = fields
        var others = metadata
        if let provided = metadataProvider?.get() { others.merge(provided) { own, _ in own } }
        for field in Self.fields(others) where !all.contains(where: { $0.name == field.name }) {
            all.append(field)
        }
        let line = LogLine(time: now(), level: level.rawValue, message: message, fields: all)
        output.write(line.bytes(json: json))
    }

    /// The fields of metadata, sorted by name. The first one of several with a name counts.
    private static func fields(_ metadata: Logger.Metadata) -> [LogLine.Field] {
        guard !metadata.isEmpty else { return [] }
        var fields: [LogLine.Field] = []
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            var name = LogText.name(key)
            if ["time", "level", "message"].contains(name) { name += "_" }
            guard !fields.contains(where: { $0.name == name }) else { continue }
            fields.append((name, self.value(value)))
        }
        return fields
    }

    private static func value(_ value: Logger.Metadata.Value) -> LogLine.Value {
        switch value {
        case .string(let text): .text(text)
        case .stringConvertible(let number as Int): .number("\(number)")
        case .stringConvertible(let number as Double) where number.isFinite: .number("\(number)")
        default: .text("\(value)")
        }
    }

    private static let clock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
}
