import CKernels

/// The single scan of a baseline JPEG file, with its tables.
///
/// Only files that `JPEGBaselineDecoder` decodes: those that `JPEGTables` supports, with one scan of all
/// components. `init` returns nil for all others, valid or not.
struct JPEGBaselineScan {
    private(set) var tables = JPEGTables()
    /// The bytes from the first entropy-coded one to the end of the file.
    private(set) var data: ByteReader

    init?(_ reader: ByteReader, frame: JPEGFrameHeader) {
        guard [0xC0, 0xC1].contains(frame.frameMarker), frame.precision == 8 else { return nil }
        data = reader
        var offset = 2
        while let (code, next) = try? JPEGFrameHeader.marker(in: reader, from: offset) {
            if code == 0x01 || (0xD0...0xD7).contains(code) {
                offset = next
                continue
            }
            guard let length = reader.uint16(at: next, bigEndian: true),
                let body = reader.slice(at: next + 2, count: length - 2)
            else { return nil }
            offset = next + length
            if code == 0xDA {
                guard takeScan(body), tables.isYCbCr, hasTables,
                    let data = reader.slice(at: offset, count: reader.count - offset)
                else { return nil }
                self.data = data
                return
            }
            guard tables.take(segment: code, body) else { return nil }
        }
        return nil
    }

    /// The header of a scan that has all components in the order of the frame, and all coefficients.
    private mutating func takeScan(_ body: ByteReader) -> Bool {
        guard !tables.components.isEmpty, body.uint8(at: 0) == tables.components.count,
            body.count == 4 + 2 * tables.components.count, Array(body.bytes.suffix(3)) == [0, 63, 0]
        else { return false }
        for index in tables.components.indices {
            let selector = Int(body.bytes[2 + 2 * index])
            guard Int(body.bytes[1 + 2 * index]) == tables.components[index].identifier, selector & 0xCC == 0
            else { return false }
            (tables.components[index].dc, tables.components[index].ac) = (selector >> 4, selector & 3)
        }
        return true
    }

    private var hasTables: Bool {
        tables.components.allSatisfy {
            tables.quantization[$0.quantization] != nil && tables.dcTables[$0.dc] != nil
                && tables.acTables[$0.ac] != nil
        }
    }
}
