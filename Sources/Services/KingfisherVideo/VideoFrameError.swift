public import Foundation

/// Why a frame of a video could not be read, besides `ImageCodecError` for the file and its decoding, and
/// `URLError` for the network.
public enum VideoFrameError: Error, Hashable, Sendable {
    /// The time is not a number, or infinite.
    case invalidTime
    /// The URL is neither a regular file nor a resource of a server.
    case unreadable(String)
    /// The server has answered with this status.
    case status(Int)
    /// The server sends no parts of the file (RFC 9110, 14).
    case withoutRanges
    /// The file has changed while it was read.
    case changed
}

extension VideoFrameError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .invalidTime: "The time of the frame is not a finite number."
        case .unreadable(let reason): "The video cannot be read: \(reason)."
        case .status(let status): "The server has answered the request for the video with status \(status)."
        case .withoutRanges: "The server does not send parts of the video, which a frame needs."
        case .changed: "The video has changed while a frame was read."
        }
    }
}
