/// Finds the scans of a JPEG file that arrives in pieces (ITU-T T.81, annex B).
///
/// A pure value that reads each byte once and stores none; pieces may be divided anywhere. A scan is complete
/// once the marker after it is read. Bytes that are not JPEG end the search, and so does the limit on scans;
/// whether the file can be decoded is up to the decoder.
package struct JPEGScans: Sendable {
    /// The maximum number of scans to find; encoders write about ten, and a progressive display needs no
    /// more.
    package static let maximumScans = 64

    private enum State: Sendable {
        /// Before the end of the start-of-image marker, with the number of its bytes read.
        case start(Int)
        /// Before the 0xFF of a marker: between segments, or in the data of a scan.
        case data(inScan: Bool)
        /// Between the 0xFF of a marker and its code.
        case code(inScan: Bool)
        /// Before the end of a segment's length, whose first byte may have been read.
        case length(code: UInt8, high: UInt8?)
        /// Inside a segment; `index` is the index of the next byte.
        case segment(code: UInt8, index: Int, count: Int)
        case over
    }

    private var state = State.start(0)
    /// The first five bytes of the frame header: precision, height, width.
    private var frame: UInt64 = 0

    package private(set) var offset = 0
    /// Whether the frame is progressive (SOF2, or SOF10 with arithmetic coding); nil before its header.
    package private(set) var isProgressive: Bool?
    package private(set) var size: PixelSize?
    /// The end offsets of the complete scans: a file truncated there lacks only the end-of-image marker.
    package private(set) var ends: [Int] = []
    package private(set) var hasEnd = false

    package init() {}

    package var isOver: Bool { if case .over = state { true } else { false } }

    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        defer { offset += bytes.count }
        var index = 0
        while index < bytes.count, !isOver {
            switch state {
            case .start(let seen):
                guard bytes[index] == (seen == 0 ? 0xFF : 0xD8) else { return state = .over }
                state = seen == 0 ? .start(1) : .data(inScan: false)
                index += 1
            case .data(let inScan):
                guard let next = ByteReader(bytes).offset(of: 0xFF, from: index) else {
                    index = bytes.count
                    break
                }
                state = .code(inScan: inScan)
                index = next + 1
            case .code(let inScan):
                take(code: bytes[index], inScan: inScan, at: offset + index)
                index += 1
            case .length(let code, nil):
                state = .length(code: code, high: bytes[index])
                index += 1
            case .length(let code, let high?):
                let length = Int(high) << 8 | Int(bytes[index])
                index += 1
                guard length >= 2 else { return state = .over }
                enter(code, index: 0, count: length - 2)
            case .segment(let code, let at, let count):
                let taken = min(count - at, bytes.count - index)
                if JPEGFrameHeader.isFrame(Int(code)) {
                    for byte in bytes[index..<index + min(taken, max(0, 5 - at))] {
                        frame = frame << 8 | UInt64(byte)
                    }
                }
                index += taken
                enter(code, index: at + taken, count: count)
            case .over: break
            }
        }
    }

    private mutating func enter(_ code: UInt8, index: Int, count: Int) {
        guard index == count else { return state = .segment(code: code, index: index, count: count) }
        state = .data(inScan: code == 0xDA)
        guard JPEGFrameHeader.isFrame(Int(code)), count >= 5 else { return }
        let (width, height) = (Int(frame & 0xFFFF), Int(frame >> 16 & 0xFFFF))
        if width > 0, height > 0 { size = PixelSize(width: width, height: height) }
    }

    private mutating func take(code: UInt8, inScan: Bool, at position: Int) {
        switch code {
        case 0xFF:
            return
        case 0, 0x01, 0xD0...0xD7:
            // A stuffed 0xFF data byte, or a restart marker inside the scan.
            return state = .data(inScan: inScan)
        default:
            break
        }
        if inScan { ends.append(position - 1) }
        switch code {
        case 0xD8:
            state = .over
        case 0xD9:
            hasEnd = true
            state = .over
        case 0xDA where isProgressive == nil, _ where ends.count == Self.maximumScans:
            state = .over
        default:
            if JPEGFrameHeader.isFrame(Int(code)) {
                guard isProgressive == nil else { return state = .over }
                isProgressive = code == 0xC2 || code == 0xCA
            }
            state = .length(code: code, high: nil)
        }
    }
}
