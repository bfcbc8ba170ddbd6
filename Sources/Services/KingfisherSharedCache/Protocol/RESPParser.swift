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

/// Parses replies from any division of the bytes into reads. Pushes are checked and dropped while they are
/// read.
///
/// Nothing is reserved for a length that the server only announces. The memory of a reply is at most twice
/// its bytes and 200 bytes for each element, within the limits.
struct RESPParser {
    struct Limits: Sendable {
        /// Bytes of a line, such as an error.
        var line = 4096
        /// Bytes of a string. Longer ones are skipped.
        var bulk = 8 << 20
        /// Bytes of one reply or push in addition to `bulk`, counting every line and string that is not
        /// skipped. `CLUSTER SLOTS` of 16,384 ranges has fewer.
        var overhead = 4 << 20
        /// Bytes of the strings of one reply or push that are skipped.
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
    private var isPush = false
    private var elements = 0
    private var replyBytes = 0
    private var skippedBytes = 0
    /// The number of replies and pushes so far.
    private(set) var completed = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether a part of a reply or push has arrived.
    var isUnfinished: Bool {
        if case .line = state { !line.isEmpty || !frames.isEmpty } else { true }
    }

    /// Parses the next bytes and appends the replies that they complete, without pushes.
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
        let bytes = UnsafeRawBufferPointer(rebasing: rest)
        guard let start = bytes.baseAddress else { return }
        let end = memchr(start, 0x0A, bytes.count).map { UnsafeRawPointer($0) - start }
        let part = bytes.prefix(end ?? bytes.count)
        guard line.count + part.count <= limits.line else { throw .lineTooLong }
        line.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
        rest = rest.dropFirst(part.count + (end == nil ? 0 : 1))
        guard end != nil else { return }
        guard line.popLast() == UInt8(ascii: "\r"), let type = line.first else { throw .malformedLine }
        defer { line.removeAll(keepingCapacity: true) }
        try count(line.count + 2)
        try parse(UnicodeScalar(type), &replies)
    }

    private mutating func count(_ bytes: Int) throws(RESPError) {
        replyBytes += bytes
        guard replyBytes - limits.bulk <= limits.overhead else { throw .tooManyBytes }
    }

    private mutating func parse(
        _ type: Unicode.Scalar, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        switch type {
        case "$", "=": try beginBody(isError: false, &replies)
        case ":": complete(.integer(try integer()), &replies)
        case "*", "~": try beginArray(elementsEach: 1, &replies)
        case "%": try beginArray(elementsEach: 2, &replies)
        case "+", "(": complete(isPush ? .null : .text(text), &replies)
        case "-": complete(isPush ? .null : .error(text), &replies)
        case ",":
            guard let number = Double(text) else { throw .malformedLine }
            complete(.double(number), &replies)
        case "#":
            guard text == "t" || text == "f" else { throw .malformedLine }
            complete(.boolean(text == "t"), &replies)
        case "_": complete(.null, &replies)
        case "!": try beginBody(isError: true, &replies)
        case ">": try beginPush()
        default: throw .unknownType(UInt8(truncatingIfNeeded: type.value))
        }
    }

    /// The line without its type.
    private var text: String { String(decoding: line.dropFirst(), as: UTF8.self) }

    private func integer() throws(RESPError) -> Int64 {
        if let digits = digits() { return Int64(digits) }
        guard let number = Int64(text) else { throw .malformedLine }
        return number
    }

    /// The length of a string or an array; nil for the null of RESP2.
    private func length() throws(RESPError) -> Int? {
        if let digits = digits() { return digits }
        guard line.dropFirst().elementsEqual("-1".utf8) else { throw .badLength }
        return nil
    }

    /// The number of a line of digits. Replies of many elements make this the most frequent work.
    private func digits() -> Int? {
        guard line.count > 1 else { return nil }
        var number = 0
        for index in 1..<line.count {
            let digit = Int(line[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, exceeds) = product.addingReportingOverflow(digit)
            guard !overflows, !exceeds else { return nil }
            number = sum
        }
        return number
    }

    private mutating func beginBody(
        isError: Bool, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        guard let length = try length() else { return complete(.null, &replies) }
        remaining = length
        if length > limits.bulk {
            guard length <= limits.skipped - skippedBytes else { throw .tooManyBytes }
            skippedBytes += length
            (state, bodyValue) = (.skipping, .oversized(bytes: length))
            return
        }
        guard length <= limits.skipped else { throw .tooManyBytes }
        try count(length + 2)
        if isPush {
            (state, bodyValue) = (.skipping, .null)
        } else if length == 0 {
            (state, bodyValue) = (.terminator, isError ? .error("") : .bytes(Data()))
        } else {
            state = .body(isError: isError)
        }
    }

    private mutating func parseBody(_ rest: inout Slice<UnsafeRawBufferPointer>, _ isError: Bool) {
        let count = min(remaining, rest.count)
        let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        if body.isEmpty, count == remaining {
            body = Data(part)
        } else {
            if body.isEmpty { body.reserveCapacity(min(remaining, 1 << 16)) }
            body.append(contentsOf: part)
        }
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
        elementsEach: Int, _ replies: inout [RESPValue]
    ) throws(RESPError) {
        guard let count = try length() else { return complete(.null, &replies) }
        guard count <= limits.elements, elements + count * elementsEach <= limits.elements else {
            throw .tooManyElements
        }
        guard frames.count < limits.nesting else { throw .tooDeep }
        elements += count * elementsEach
        if count == 0 { return complete(.array([]), &replies) }
        frames.append(Frame(remaining: count * elementsEach))
    }

    /// A push is no part of a reply, and has at least its kind.
    private mutating func beginPush() throws(RESPError) {
        guard frames.isEmpty, let count = try length(), count > 0 else { throw .badLength }
        guard count <= limits.elements else { throw .tooManyElements }
        elements = count
        isPush = true
        frames.append(Frame(remaining: count))
    }

    private mutating func complete(_ value: RESPValue, _ replies: inout [RESPValue]) {
        var value = value
        while var frame = frames.popLast() {
            if !isPush { frame.values.append(value) }
            frame.remaining -= 1
            guard frame.remaining == 0 else {
                frames.append(frame)
                return
            }
            value = .array(frame.values)
        }
        if !isPush { replies.append(value) }
        completed += 1
        (isPush, elements, replyBytes, skippedBytes) = (false, 0, 0, 0)
    }
}
