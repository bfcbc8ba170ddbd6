import Foundation

/// Why the bytes of a server are not RESP3, or exceed a limit. The connection cannot be used any more.
enum RESPError: Error, Hashable {
    case unknownType(UInt8)
    case malformedLine
    case lineTooLong
    case badLength
    case tooManyBytes
    case tooDeep
    case tooManyElements
    case missingTerminator
}

/// Parses replies from any division of the bytes into reads.
///
/// Nothing is reserved for a length that the server only announces: memory is at most twice the bytes
/// received, within the limits.
struct RESPParser {
    struct Limits: Sendable {
        /// Bytes of a line, such as an error.
        var line = 4096
        /// Bytes of a string. Longer ones are skipped.
        var bulk = 8 << 20
        /// Bytes of a string that is skipped.
        var skipped = 512 << 20
        var nesting = 8
        /// Elements of one reply. `CLUSTER SLOTS` of 16,384 ranges has fewer.
        var elements = 1 << 18
    }

    private enum State {
        case line
        case body(isError: Bool)
        case skipping
        case terminator
    }

    private struct Frame {
        let isPush: Bool
        var remaining: Int
        var values: [RESPValue] = []
    }

    private let limits: Limits
    private var state = State.line
    private var line: [UInt8] = []
    private var body = Data()
    private var bodyValue = RESPValue.null
    private var remaining = 0
    private var terminator = 0
    private var frames: [Frame] = []
    private var elements = 0
    private var replyBytes = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Parses the next bytes and appends the replies that they complete.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, into replies: inout [RESPValue]
    ) throws(RESPError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .line: try parseLine(&rest, &replies)
            case .body(let isError): parseBody(&rest, isError)
            case .skipping:
                let count = min(remaining, rest.count)
                rest = rest.dropFirst(count)
                remaining -= count
                if remaining == 0 { state = .terminator }
            case .terminator: try parseTerminator(&rest, &replies)
            }
        }
    }

    private mutating func parseLine(
        _ rest: inout Slice<UnsafeRawBufferPointer>, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let part = rest[..<(end ?? rest.endIndex)]
        guard line.count + part.count <= limits.line else { throw .lineTooLong }
        line.append(contentsOf: part)
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard end != nil else { return }
        guard line.popLast() == UInt8(ascii: "\r"), let type = line.first else { throw .malformedLine }
        defer { line.removeAll(keepingCapacity: true) }
        // The line of nearly all replies.
        if type == UInt8(ascii: "$"), let length = Self.number(line.dropFirst()) {
            return try beginBody(length, isError: false)
        }
        try parse(type, String(decoding: line.dropFirst(), as: UTF8.self), &replies)
    }

    /// A number of 1 to 18 digits; nil for other bytes.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...18).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private mutating func parse(
        _ type: UInt8, _ text: String, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        switch Character(UnicodeScalar(type)) {
        case "+", "(": complete(.text(text), &replies)
        case "-": complete(.error(text), &replies)
        case ":":
            guard let number = Int64(text) else { throw .malformedLine }
            complete(.integer(number), &replies)
        case ",":
            guard let number = Double(text) else { throw .malformedLine }
            complete(.double(number), &replies)
        case "#":
            guard text == "t" || text == "f" else { throw .malformedLine }
            complete(.boolean(text == "t"), &replies)
        case "_": complete(.null, &replies)
        case "$", "=": try beginBody(text, isError: false, &replies)
        case "!": try beginBody(text, isError: true, &replies)
        case "*", "~": try beginArray(text, elementsEach: 1, isPush: false, &replies)
        case "%": try beginArray(text, elementsEach: 2, isPush: false, &replies)
        case ">": try beginArray(text, elementsEach: 1, isPush: true, &replies)
        default: throw .unknownType(type)
        }
    }

    /// The length of a string or an array; nil for the null of RESP2.
    private func length(_ text: String) throws(RESPError) -> Int? {
        if text == "-1" { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let length = Int(text)
        else { throw .badLength }
        return length
    }

    private mutating func beginBody(
        _ text: String, isError: Bool, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        guard let length = try length(text) else { return complete(.null, &replies) }
        try beginBody(length, isError: isError)
    }

    private mutating func beginBody(_ length: Int, isError: Bool) throws(RESPError) {
        guard length <= limits.skipped else { throw .tooManyBytes }
        remaining = length
        if length > limits.bulk {
            (state, bodyValue) = (.skipping, .oversized(bytes: length))
            return
        }
        replyBytes += length
        guard replyBytes <= limits.bulk + 1 << 20 else { throw .tooManyBytes }
        body = Data()
        body.reserveCapacity(min(length, 1 << 16))
        if length == 0 {
            (state, bodyValue) = (.terminator, isError ? .error("") : .bytes(Data()))
        } else {
            state = .body(isError: isError)
        }
    }

    private mutating func parseBody(_ rest: inout Slice<UnsafeRawBufferPointer>, _ isError: Bool) {
        let count = min(remaining, rest.count)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
        rest = rest.dropFirst(count)
        remaining -= count
        guard remaining == 0 else { return }
        bodyValue = isError ? .error(String(decoding: body.prefix(limits.line), as: UTF8.self)) : .bytes(body)
        (body, state) = (Data(), .terminator)
    }

    private mutating func parseTerminator(
        _ rest: inout Slice<UnsafeRawBufferPointer>, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        let expected = terminator == 0 ? UInt8(ascii: "\r") : UInt8(ascii: "\n")
        guard rest.removeFirst() == expected else { throw .missingTerminator }
        terminator += 1
        guard terminator == 2 else { return }
        (terminator, state) = (0, .line)
        let value = bodyValue
        bodyValue = .null
        complete(value, &replies)
    }

    private mutating func beginArray(
        _ text: String, elementsEach: Int, isPush: Bool, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        guard let count = try length(text) else { return complete(.null, &replies) }
        guard count <= limits.elements, elements + count * elementsEach <= limits.elements else {
            throw .tooManyElements
        }
        guard frames.count < limits.nesting else { throw .tooDeep }
        elements += count * elementsEach
        if count == 0 { return complete(isPush ? .push([]) : .array([]), &replies) }
        frames.append(Frame(isPush: isPush, remaining: count * elementsEach))
    }

    private mutating func complete(_ value: RESPValue, _ replies: inout [RESPValue]) {
        var value = value
        while var frame = frames.popLast() {
            frame.values.append(value)
            frame.remaining -= 1
            guard frame.remaining == 0 else {
                frames.append(frame)
                return
            }
            value = frame.isPush ? .push(frame.values) : .array(frame.values)
        }
        (elements, replyBytes) = (0, 0)
        replies.append(value)
    }
}
