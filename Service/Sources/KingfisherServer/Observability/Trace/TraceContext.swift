public import HTTPTypes
public import Tracing

/// The trace to which a request belongs: W3C Trace Context, level 1, `traceparent`.
public struct TraceContext: Hashable, Sendable {
    /// 32 hexadecimal digits in lower case, not all 0.
    public let traceID: String
    /// The span of the caller: 16 hexadecimal digits in lower case, not all 0.
    public let parentID: String
    /// Whether the caller may have recorded the trace.
    public let isSampled: Bool

    /// Reads a value of `traceparent`; nil if it must be ignored.
    ///
    /// A later version may have further fields after a `-`; version `ff` is invalid (sections 3.2 and 4.3).
    public init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = Self.digits(bytes[0..<2]), version != "ff",
            let trace = Self.identifier(bytes[3..<35]), let parent = Self.identifier(bytes[36..<52]),
            let flags = Self.digits(bytes[53..<55]), let number = UInt8(flags, radix: 16)
        else { return nil }
        if bytes.count > 55 {
            guard version != "00", bytes[55] == UInt8(ascii: "-") else { return nil }
        }
        (traceID, parentID, isSampled) = (trace, parent, number & 1 == 1)
    }

    /// Reads the fields of a request. More than one `traceparent` is no `traceparent`.
    public init?(_ fields: HTTPFields) {
        let values = fields[values: .traceparent]
        guard values.count == 1 else { return nil }
        self.init(values[0])
    }

    private static func identifier(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : digits(bytes)
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> String? {
        let isLower = bytes.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return isLower ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

/// Gives the fields of a request to the tracer of the program.
///
/// A malformed `traceparent` counts as absent, and `tracestate` with it, as the standard demands.
public struct TraceFieldExtractor: Extractor {
    /// Creates an extractor.
    public init() {}

    public func extract(key: String, from fields: HTTPFields) -> String? {
        guard let name = HTTPField.Name(key) else { return nil }
        if name == .traceparent || name == .tracestate, TraceContext(fields) == nil { return nil }
        let values = fields[values: name]
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}
