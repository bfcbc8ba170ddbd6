import Foundation
import KingfisherCodecSupport

/// A JPEG in a RAW file, whose header has been read.
struct RAWPreview {
    let decoder: any ImageDecoder
    /// Whether the file ends within the JPEG.
    let endsEarly: Bool

    /// Limits for untrusted files, which have up to five previews.
    private static let maximumCount = 16

    /// The intact preview with the most pixels. Corrupt or lossless ones, and ones of more than 8 bits are
    /// passed over.
    ///
    /// Throws `truncated` if the file ends before or within a preview that may be larger, because a part of a
    /// file must not count as its image (decision 012).
    init(largestOf raw: RAWFile, in file: EncodedFile) throws(ImageCodecError) {
        let (candidates, areMissing) = try Self.candidates(raw, file)
        // Their sizes are unknown, so the image of a partial file would change.
        if areMissing { throw .truncated }
        for candidate in candidates.sorted(by: { $0.area > $1.area }) {
            let endsEarly = candidate.decoder.endsEarly
            if endsEarly, !candidate.reachesEnd { continue }
            if endsEarly, !file.acceptsPartialImages { throw .truncated }
            (decoder, self.endsEarly) = (candidate.decoder, endsEarly)
            return
        }
        throw .unsupported("a camera RAW file without an embedded JPEG preview")
    }

    private struct Candidate {
        let decoder: any ImageDecoder
        /// Whether the JPEG may continue after the end of the file.
        let reachesEnd: Bool
        var area: Int { decoder.header.size.area }
    }

    /// Also whether there are others, after the end of the file.
    private static func candidates(
        _ raw: RAWFile, _ file: EncodedFile
    ) throws(ImageCodecError) -> (found: [Candidate], areMissing: Bool) {
        let bytes = file.data
        var (found, areMissing, mayBeMissing): ([Candidate], Bool, Bool) = ([], raw.isTruncated, false)
        var seen: Set<Int> = []
        // Previews do not overlap; lengths may be too large.
        var remaining = 4 * bytes.count
        for place in raw.places where seen.count < maximumCount && seen.insert(place.offset).inserted {
            guard place.offset < bytes.count - 1 else {
                if place.isCertain { areMissing = true } else { mayBeMissing = true }
                continue
            }
            let start = bytes.dropFirst(place.offset)
            guard start.starts(with: [0xFF, 0xD8]) else { continue }
            let length = min(place.length, start.count, remaining)
            remaining -= length
            let jpeg = EncodedFile(
                start.prefix(length), limits: file.limits,
                acceptsPartialImages: file.acceptsPartialImages)
            do throws(ImageCodecError) {
                let decoder = try JPEGCodec().open(jpeg, orientation: raw.orientation)
                found.append(Candidate(decoder: decoder, reachesEnd: place.length > start.count))
            } catch {
                guard error.isFault else { throw error }
                if error == .truncated, place.length > start.count { areMissing = true }
            }
        }
        return (found, areMissing || found.isEmpty && mayBeMissing)
    }
}

extension ImageCodecError {
    /// Whether the bytes of a preview are the reason, and not a limit.
    fileprivate var isFault: Bool {
        switch self {
        case .corrupt, .truncated, .unsupported: true
        default: false
        }
    }
}
