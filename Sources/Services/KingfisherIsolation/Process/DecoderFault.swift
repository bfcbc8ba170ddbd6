import KingfisherImage

/// Why an exchange with a decoder gave no result.
enum DecoderFault: Error, Hashable {
    /// The codec refused the file; the decoder is intact.
    case codec(ImageCodecError)
    /// The decoder ended while it was idle, so the file is not the reason.
    case endedBefore
    /// The decoder failed while it worked, or could not be started. It must be replaced.
    case failure(DecoderFailure)

    /// The error for callers of a pool.
    var reported: ImageCodecError {
        switch self {
        case .codec(let error): error
        case .endedBefore: .decoderFailed(.crashed(signal: 0))
        case .failure(let failure): .decoderFailed(failure)
        }
    }

    static func unavailable(_ reason: String) -> DecoderFault { .failure(.unavailable(reason)) }
}
