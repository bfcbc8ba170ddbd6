import HTTPTypes
import Testing

@testable import KingfisherServer

extension ObservabilityTests {
    @Suite struct TraceContextTests {
        private static let trace = "0af7651916cd43dd8448eb211c80319c"
        private static let parent = "b7ad6b7169203331"
        private static let valid = "00-\(trace)-\(parent)-01"

        @Test(
            arguments: [
                (valid, true), ("00-\(trace)-\(parent)-00", false), ("00-\(trace)-\(parent)-ff", true),
                ("00-\(trace)-\(parent)-02", false), ("01-\(trace)-\(parent)-01", true),
                ("cc-\(trace)-\(parent)-01-what-the-future-will-be-like", true),
                ("fe-\(trace)-\(parent)-00-", false),
            ])
        func `A valid traceparent has a trace, a parent and a flag`(_ value: String, _ isSampled: Bool) throws
        {
            let context = try #require(TraceContext(value))
            #expect(context.traceID == Self.trace)
            #expect(context.parentID == Self.parent)
            #expect(context.isSampled == isSampled)
        }

        @Test(
            arguments: [
                "", "00", "-", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-0",
                "00-\(trace)-\(parent)-011",
                "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-more", "ff-\(trace)-\(parent)-01",
                "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
                "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
                "0A-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-0A", "00-\(trace)-\(parent)-0x",
                "00_\(trace)-\(parent)-01", "00-\(trace)_\(parent)-01", "00-\(trace)-\(parent)_01",
                "01-\(trace)-\(parent)-01.more", "01-\(trace)-\(parent)-0", "0-\(trace)-\(parent)-01",
                "00-\(trace.dropLast())é-\(parent)-01", " \(valid)", "\(valid) ", "00-\(trace)-\(parent)-+1",
                "00-\(trace.dropLast())\n-\(parent)-01", "00-\(trace)\(trace)-\(parent)-01",
            ])
        func `A malformed traceparent is ignored`(_ value: String) {
            #expect(TraceContext(value) == nil)
        }

        @Test func `Two fields traceparent are none`() {
            var fields: HTTPFields = [.traceparent: Self.valid]
            #expect(TraceContext(fields)?.traceID == Self.trace)
            fields.append(HTTPField(name: .traceparent, value: Self.valid))
            #expect(TraceContext(fields) == nil)
            #expect(TraceContext(HTTPFields()) == nil)
        }

        @Test func `The tracer gets the fields of the request`() throws {
            let extractor = TraceFieldExtractor()
            var fields: HTTPFields = [.traceparent: Self.valid, .tracestate: "a=1"]
            fields.append(HTTPField(name: .tracestate, value: "b=2"))
            fields[try #require(HTTPField.Name("b3"))] = "0"
            #expect(extractor.extract(key: "traceparent", from: fields) == Self.valid)
            #expect(extractor.extract(key: "TraceParent", from: fields) == Self.valid)
            #expect(extractor.extract(key: "tracestate", from: fields) == "a=1,b=2")
            #expect(extractor.extract(key: "b3", from: fields) == "0")
            #expect(extractor.extract(key: "other", from: fields) == nil)
            #expect(extractor.extract(key: "not a name", from: fields) == nil)
        }

        @Test func `A malformed traceparent hides tracestate`() {
            let extractor = TraceFieldExtractor()
            let fields: HTTPFields = [.traceparent: "00-bad", .tracestate: "a=1"]
            #expect(extractor.extract(key: "traceparent", from: fields) == nil)
            #expect(extractor.extract(key: "tracestate", from: fields) == nil)
        }
    }
}
