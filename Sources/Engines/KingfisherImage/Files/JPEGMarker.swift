public import Foundation

extension ImageFormat {
    /// A marker of a JPEG stream (ITU-T T.81, table B.1).
    public enum JPEGMarker: Hashable, Sendable {
        /// Start of frame, baseline.
        case SOF0
        /// Start of frame, progressive.
        case SOF2
        /// Huffman tables.
        case DHT
        /// Quantization tables.
        case DQT
        /// Restart interval.
        case DRI
        /// Start of scan.
        case SOS
        /// Restart, modulo 8.
        case RSTn(UInt8)
        /// Application data of any number.
        case APPn
        /// Comment.
        case COM
        /// End of image.
        case EOI

        func matches(_ code: UInt8) -> Bool {
            switch self {
            case .SOF0: code == 0xC0
            case .SOF2: code == 0xC2
            case .DHT: code == 0xC4
            case .DQT: code == 0xDB
            case .DRI: code == 0xDD
            case .SOS: code == 0xDA
            case .RSTn(let n): n < 8 && code == 0xD0 + n
            case .APPn: (0xE0...0xEF).contains(code)
            case .COM: code == 0xFE
            case .EOI: code == 0xD9
            }
        }
    }
}

extension KingfisherWrapper where Base == Data {
    /// Whether the bytes contain the marker at any offset; false for data that is not JPEG.
    public func contains(jpeg marker: ImageFormat.JPEGMarker) -> Bool {
        guard imageFormat == .JPEG else { return false }
        return base.withUnsafeBytes { bytes in
            (0..<bytes.count - 1).contains { bytes[$0] == 0xFF && marker.matches(bytes[$0 + 1]) }
        }
    }
}
