import Foundation

/// Appends little-endian numbers, and bytes after their 32-bit length.
struct FieldWriter {
    var data = Data()

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func add(_ bytes: Data) {
        add(UInt32(clamping: bytes.count))
        data.append(bytes)
    }
}

/// Reads what ``FieldWriter`` wrote. Returns nil where the bytes end too early.
struct FieldReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> Data? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>() -> Number? {
        bytes(MemoryLayout<Number>.size).map { bytes in
            Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
        }
    }

    mutating func field() -> Data? {
        guard let count: UInt32 = number() else { return nil }
        return bytes(Int(count))
    }

    mutating func text() -> String? {
        field().flatMap { String(bytes: $0, encoding: .utf8) }
    }
}
