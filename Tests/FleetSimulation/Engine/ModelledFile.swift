import Foundation

/// The file of a simulated image. It has a 64th of the bytes that it stands for, so that a fleet fits in
/// memory.
///
/// Image, version, zeros, the number of bytes that it stands for, and a mark.
struct ModelledFile: Equatable {
    static let scale = 64
    private static let mark: UInt32 = 0x4B46_494D
    private static let minimum = 16

    let image: Int
    let version: Int
    let size: Int

    var data: Data {
        var data = Data(count: Self.realBytes(size))
        data.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(image).littleEndian, as: UInt32.self)
            bytes.storeBytes(of: UInt32(version).littleEndian, toByteOffset: 4, as: UInt32.self)
            bytes.storeBytes(
                of: UInt32(size).littleEndian, toByteOffset: bytes.count - 8, as: UInt32.self)
            bytes.storeBytes(of: Self.mark.littleEndian, toByteOffset: bytes.count - 4, as: UInt32.self)
        }
        return data
    }

    init(image: Int, version: Int, size: Int) {
        (self.image, self.version, self.size) = (image, version, size)
    }

    init?(_ data: Data) {
        guard let size = Self.size(atEndOf: data), data.count == Self.realBytes(size) else { return nil }
        image = Int(Self.number(data, at: 0))
        version = Int(Self.number(data, at: 4))
        self.size = size
    }

    /// The bytes that a stored value stands for. If it does not end in a file, those that it has.
    static func wireBytes(_ value: Data) -> Int {
        guard let size = size(atEndOf: value) else { return value.count }
        return value.count - realBytes(size) + size
    }

    /// A multiple of 4, which `storeBytes` needs.
    private static func realBytes(_ size: Int) -> Int { max(minimum, size / scale / 4 * 4) }

    private static func size(atEndOf data: Data) -> Int? {
        guard data.count >= minimum, number(data, at: data.count - 4) == mark else { return nil }
        let size = Int(number(data, at: data.count - 8))
        return realBytes(size) <= data.count ? size : nil
    }

    private static func number(_ data: Data, at offset: Int) -> UInt32 {
        data.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
    }
}
