import Foundation
import KingfisherService
import Logging
import Synchronization
import Testing

@testable import KingfisherServer

extension ObservabilityTests {
    @Suite struct RequestLogTests {
        private let pair: PacketPair
        private let output: LogOutput

        init() throws {
            pair = try PacketPair()
            output = LogOutput(descriptor: pair.input)
        }

        private func logger(json: Bool = false, level: Logger.Level = .info) -> Logger {
            Logger(label: "test") { [output] _ in
                LineLogHandler(level: level, json: json, to: output) { 1_795_897_801_123 }
            }
        }

        private static var full: RequestRecord {
            var record = RequestRecord(method: "GET", status: 200)
            (record.route, record.bytes, record.cache) = (.native, 12_345, .disk)
            record.duration = .microseconds(12_390)
            record.source = "example.com"
            (record.requestID, record.traceID) = ("r-1", "0af7651916cd43dd8448eb211c80319c")
            return record
        }

        private func object(_ line: String) throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }

        @Test func `A request is one line of text`() {
            RequestLog(logger()).write(Self.full)
            #expect(
                pair.packets() == [
                    "2026-11-28T20:30:01.123Z info request method=GET route=native status=200 bytes=12345 "
                        + "ms=12.3 cache=disk source=example.com id=r-1 "
                        + "trace=0af7651916cd43dd8448eb211c80319c\n"
                ])
        }

        @Test func `A request is one object of JSON with numbers`() {
            RequestLog(logger(json: true)).write(Self.full)
            #expect(
                pair.packets() == [
                    #"{"time":"2026-11-28T20:30:01.123Z","level":"info","message":"request","#
                        + #""method":"GET","route":"native","status":200,"bytes":12345,"ms":12.3,"#
                        + #""cache":"disk","source":"example.com","id":"r-1","#
                        + #""trace":"0af7651916cd43dd8448eb211c80319c"}"# + "\n"
                ])
        }

        @Test func `A failure has its name, and the beginning of a wrong signature`() {
            var record = RequestRecord(method: "HEAD", status: 403)
            (record.failure, record.signature) = ("refused", "abcdefSECRETSECRET")
            record.reason = String(repeating: "r", count: 300)
            RequestLog(logger()).write(record)
            let line = pair.packets().joined()
            #expect(
                line.hasSuffix(
                    "ms=0.0 error=refused reason=\(String(repeating: "r", count: 200)) signature=abcdef\n"))
            #expect(line.contains("route=none status=403 bytes=0"))
        }

        @Test(
            arguments: [
                ServiceSource.http(URL(string: "https://cdn.example.com:8443/a/b.jpg?token=secret")!),
                .s3(bucket: "photos", key: "a/secret.jpg", versionID: "secret"),
                .local(path: "a/secret.jpg"), .upload,
            ])
        func `A source is logged without its path and query`(_ source: ServiceSource) {
            #expect(["cdn.example.com", "s3:photos", "local", "upload"].contains(source.logName))
            var record = Self.full
            record.source = source.logName
            RequestLog(logger()).write(record)
            let line = pair.packets().joined()
            #expect(line.contains(" source=\(source.logName) "))
            #expect(!line.contains("secret"))
        }

        static let hostile = [
            "a b", "a=b", "x\nstatus=200", "x\r\n2026-11-28T20:30:01.123Z error fake", "\"", "\\", "a\\\" b",
            "\u{0}", "\u{1B}[31mred", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}", "\u{202E}gpj", "\u{FEFF}",
            "", "中 文", "e\u{301}", "\u{1F600}", "\u{E0001}", "x status=500", "'", "{\"a\":1}", "\t", "-",
        ]

        @Test(arguments: hostile)
        func `No text adds a line or a field to a line of text`(_ text: String) throws {
            var record = Self.full
            (record.method, record.source, record.requestID) = (text, text, text)
            (record.traceID, record.failure, record.reason) = (text, text, text)
            RequestLog(logger()).write(record)
            let packets = pair.packets()
            #expect(packets.count == 1)
            let line = try #require(packets.first)
            #expect(line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
            let invisible: [Unicode.GeneralCategory] = [
                .control, .format, .lineSeparator, .paragraphSeparator,
            ]
            #expect(
                !line.unicodeScalars.dropLast().contains {
                    invisible.contains($0.properties.generalCategory)
                })
            let fields = try Self.fields(line)
            #expect(fields.map(\.0) == RequestLog.fields.filter { $0 != "signature" })
            #expect(fields.first { $0.0 == "source" }?.1 == text)
            #expect(fields.first { $0.0 == "status" }?.1 == "200")
        }

        @Test(arguments: hostile)
        func `No text adds a line or a member to an object`(_ text: String) throws {
            var record = Self.full
            (record.source, record.requestID) = (text, text)
            RequestLog(logger(json: true)).write(record)
            let packets = pair.packets()
            let line = try #require(packets.first)
            #expect(packets.count == 1)
            #expect(line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
            let object = try object(line)
            #expect(object.count == 12)
            let source = try #require(object["source"] as? String)
            #expect(Array(source.utf8) == Array(text.utf8))
        }

        @Test(
            arguments: [
                ("Listening on 127.0.0.1:8080.", "Listening on 127.0.0.1:8080."),
                ("a status=200", "\"a status=200\""), ("a\nb", "\"a\\nb\""), ("a\"b", "\"a\\\"b\""),
                ("中文", "中文"),
            ])
        func `A message is quoted if it could be read as a field`(_ message: String, _ expected: String) {
            logger().info("\(message)", metadata: ["k": "v"])
            #expect(pair.packets() == ["2026-11-28T20:30:01.123Z info \(expected) k=v\n"])
        }

        @Test func `Long values and messages are cut off`() {
            let text = String(repeating: "x", count: 100_000)
            logger().info("\(text)", metadata: ["k": "\(text)"])
            let line = pair.packets().joined()
            #expect(line.utf8.count == "2026-11-28T20:30:01.123Z info  k=\n".utf8.count + 2_048 + 256)
        }

        @Test func `Names of fields are words`() throws {
            logger().info("m", metadata: ["a b=c\n": "v", "": "w"])
            #expect(pair.packets() == ["2026-11-28T20:30:01.123Z info m _=w a_b_c_=v\n"])
            logger(json: true).info("m", metadata: ["time": "v", "x\"": "w", "x_": "u"])
            let object = try object(pair.packets().joined())
            #expect(object["time"] as? String == "2026-11-28T20:30:01.123Z")
            #expect(object["time_"] as? String == "v")
            #expect(object.count == 5)
        }

        @Test func `Metadata of the message, the logger and the provider are fields`() {
            var logger = logger()
            logger.handler.metadataProvider = .init { ["c": "provider", "b": "provider", "a": "provider"] }
            logger[metadataKey: "b"] = "logger"
            logger[metadataKey: "a"] = "logger"
            logger.info("m", metadata: ["a": "message", "list": ["x", "y"]])
            #expect(
                pair.packets() == [
                    #"2026-11-28T20:30:01.123Z info m a=message list="[\"x\", \"y\"]" b=logger c=provider"#
                        + "\n"
                ])
        }

        @Test func `Another handler gets the fields as metadata`() {
            let events = Recorded()
            RequestLog(Logger(label: "test") { _ in events.handler }).write(Self.full)
            #expect(events.metadata?["status"] == "200")
            #expect(events.metadata?["source"] == "example.com")
            #expect(events.metadata?.count == 9)
        }

        @Test func `Metadata of the logger is in the line of a request`() {
            var logger = logger()
            logger[metadataKey: "node"] = "a"
            RequestLog(logger).write(RequestRecord(method: "GET", status: 404))
            #expect(pair.packets().first?.hasSuffix(" status=404 bytes=0 ms=0.0 node=a\n") == true)
        }

        @Test func `An error is logged by its type`() {
            struct Secret: Error { let path = "/secret" }
            var event = LogEvent(
                level: .error, message: "m", metadata: nil, source: nil, file: "", function: "", line: 0)
            event.error = Secret()
            logger().handler.log(event: event)
            #expect(pair.packets() == ["2026-11-28T20:30:01.123Z error m error.type=Secret\n"])
        }

        @Test(
            arguments: [
                (Logger.Level.trace, 200, nil, "info"), (.info, 200, nil, "info"), (.notice, 200, nil, nil),
                (.error, 502, "source_status", nil), (.error, 500, "unexpected", "error"),
                (.critical, 500, "unexpected", nil),
            ] as [(Logger.Level, Int, String?, String?)])
        func `A level hides requests, but not faults`(
            _ level: Logger.Level, _ status: Int, _ failure: String?, _ expected: String?
        ) {
            var record = RequestRecord(method: "GET", status: status)
            record.failure = failure
            RequestLog(logger(level: level)).write(record)
            let words = pair.packets().first?.split(separator: " ")
            #expect(words.map { String($0[1]) } == expected)
        }

        @Test(
            arguments: [
                (0, "1970-01-01T00:00:00.000Z"), (-1, "1970-01-01T00:00:00.000Z"),
                (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
                (1_709_210_096_007, "2024-02-29T12:34:56.007Z"),
                (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            ] as [(Int64, String)])
        func `Times are UTC with milliseconds`(_ milliseconds: Int64, _ expected: String) {
            var text = LogText()
            text.appendTime(milliseconds)
            #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
        }

        @Test(arguments: [("debug", Logger.Level.debug), ("error", .error), ("loud", .info), ("", .info)])
        func `An unknown level is info`(_ name: String, _ expected: Logger.Level) {
            #expect(LineLogHandler.logger(level: name, json: false, to: output).logLevel == expected)
        }

        @Test func `Lines that the output does not take are dropped and counted`() {
            let logger = logger()
            for _ in 0..<5_000 { logger.info("\(String(repeating: "x", count: 1_000))") }
            let dropped = output.droppedLines
            #expect(dropped > 0)
            #expect(pair.packets().count == 5_000 - dropped)
            logger.info("again")
            #expect(pair.packets() == ["2026-11-28T20:30:01.123Z info again\n"])
        }

        /// The fields of a line of text, read as a consumer of the log does.
        private static func fields(_ line: String) throws -> [(String, String)] {
            var rest = Substring(line.dropLast())
            // Time, level and message.
            for _ in 0..<3 { rest = rest.drop { $0 != " " }.dropFirst() }
            var fields: [(String, String)] = []
            while !rest.isEmpty {
                let name = rest.prefix { $0 != "=" }
                rest = rest.dropFirst(name.count + 1)
                var value = rest.prefix { $0 != " " }
                if rest.first == "\"" {
                    var end = rest.index(after: rest.startIndex)
                    while rest[end] != "\"" { end = rest.index(end, offsetBy: rest[end] == "\\" ? 2 : 1) }
                    value = rest[...end]
                }
                rest = rest.dropFirst(value.count)
                #expect(rest.isEmpty || rest.first == " ")
                rest = rest.dropFirst()
                let text =
                    try value.first == "\""
                    ? JSONDecoder().decode(String.self, from: Data(value.utf8)) : String(value)
                fields.append((String(name), text))
            }
            return fields
        }
    }
}

/// Keeps the metadata of the last message.
private final class Recorded: Sendable {
    struct Handler: LogHandler {
        let target: Recorded
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { target.state.withLock { $0 = event.metadata } }
    }

    private let state = Mutex<Logger.Metadata?>(nil)

    var metadata: Logger.Metadata? { state.withLock { $0 } }
    var handler: Handler { Handler(target: self) }
}
