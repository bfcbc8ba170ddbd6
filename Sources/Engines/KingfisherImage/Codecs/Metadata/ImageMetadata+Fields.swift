extension ImageMetadata {
    /// Fields of EXIF (CIPA DC-008-2019); texts without trailing zeros and spaces, nil if empty.
    public struct EXIFFields: Hashable, Sendable, Encodable {
        /// The manufacturer of the camera (`Make`).
        public internal(set) var make: String?
        /// The model of the camera (`Model`).
        public internal(set) var model: String?
        /// The manufacturer of the lens (`LensMake`).
        public internal(set) var lensMake: String?
        /// The model of the lens (`LensModel`).
        public internal(set) var lensModel: String?
        /// The program or firmware that wrote the file (`Software`).
        public internal(set) var software: String?
        /// The photographer (`Artist`).
        public internal(set) var artist: String?
        /// The copyright notice of the photographer (`Copyright`).
        public internal(set) var copyright: String?
        /// The title of the image (`ImageDescription`).
        public internal(set) var imageDescription: String?
        /// The exposure time in seconds.
        public internal(set) var exposureTime: Double?
        /// The aperture as the f-number: 2.8 for f/2.8.
        public internal(set) var fNumber: Double?
        /// The sensitivity (`PhotographicSensitivity`, formerly `ISOSpeedRatings`).
        public internal(set) var iso: Int?
        /// The focal length in millimetres.
        public internal(set) var focalLength: Double?
        /// The focal length in millimetres that has the same angle of view on 35 mm film.
        public internal(set) var focalLengthIn35mmFilm: Int?
        /// The bits of `Flash`: bit 0 says that it fired.
        public internal(set) var flash: Int?
        /// When the image was taken (`DateTimeOriginal`).
        public internal(set) var dateTaken: Moment?
        /// When it was digitized (`DateTimeDigitized`).
        public internal(set) var dateDigitized: Moment?
        /// When the file was last changed (`DateTime`).
        public internal(set) var dateModified: Moment?

        /// Whether the flash fired; nil if the file does not say.
        public var flashFired: Bool? { flash.map { $0 & 1 == 1 } }
    }

    /// The place and time of a satellite fix (the GPS directory of EXIF, CIPA DC-008, section 4.6.6).
    public struct Location: Hashable, Sendable, Encodable {
        /// Degrees, -90...90, positive in the north; nil if malformed or without its hemisphere.
        public internal(set) var latitude: Double?
        /// Degrees, -180...180, positive in the east; nil if malformed or without its hemisphere.
        public internal(set) var longitude: Double?
        /// Metres, negative below the sea level (or below the ellipsoid).
        public internal(set) var altitude: Double?
        /// When the position was measured, in UTC.
        public internal(set) var timestamp: Moment?
    }

    /// Fields of IPTC-IIM 4.2, the records in a JPEG's Photoshop segment; nil or empty if absent.
    ///
    /// Texts are UTF-8 if they are valid UTF-8, otherwise Latin-1: most writers do not declare their
    /// encoding.
    public struct IPTCFields: Hashable, Sendable, Encodable {
        /// Object name (2:05).
        public internal(set) var title: String?
        /// Keywords (2:25), in the order of the file.
        public internal(set) var keywords: [String] = []
        /// Caption or abstract (2:120).
        public internal(set) var caption: String?
        /// Bylines (2:80): the names of the authors.
        public internal(set) var bylines: [String] = []
        /// Credit (2:110).
        public internal(set) var credit: String?
        /// Copyright notice (2:116).
        public internal(set) var copyright: String?
        /// City (2:90).
        public internal(set) var city: String?
        /// Country name (2:101).
        public internal(set) var country: String?
        /// Date and time of creation (2:55 and 2:60); midnight if the time is absent.
        public internal(set) var dateCreated: Moment?
        /// Date and time of digitization (2:62 and 2:63).
        public internal(set) var dateDigitized: Moment?

        /// Without city and country.
        package var withoutPlace: Self {
            var fields = self
            (fields.city, fields.country) = (nil, nil)
            return fields
        }
    }

    /// Pixels per inch.
    public struct PixelDensity: Hashable, Sendable, Encodable {
        /// Pixels per inch in a row.
        public let x: Double
        /// Pixels per inch in a column.
        public let y: Double

        /// A density in pixels per inch; nil unless both are positive and finite.
        public init?(x: Double, y: Double) {
            guard x > 0, y > 0, x.isFinite, y.isFinite else { return nil }
            self.x = x
            self.y = y
        }
    }

    /// A colour space by the numbers of ITU-T H.273.
    public struct CodePoints: Hashable, Sendable, Encodable {
        /// The colour primaries: 1 for BT.709 and sRGB, 9 for BT.2020, 12 for Display P3.
        public let primaries: Int
        /// The transfer characteristics: 13 for sRGB, 16 for PQ, 18 for HLG.
        public let transfer: Int
        /// The matrix coefficients: 0 for RGB.
        public let matrix: Int
        /// Whether samples use the full range of their bits.
        public let isFullRange: Bool

        /// A colour space of these numbers.
        public init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
            self.primaries = primaries
            self.transfer = transfer
            self.matrix = matrix
            self.isFullRange = isFullRange
        }

        /// The four bytes of a cICP chunk or tag; nil if there are fewer or the range is neither 0 nor 1.
        init?(_ bytes: ByteReader) {
            guard let primaries = bytes.uint8(at: 0), let transfer = bytes.uint8(at: 1),
                let matrix = bytes.uint8(at: 2), let range = bytes.uint8(at: 3), range <= 1
            else { return nil }
            self.init(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range == 1)
        }

        /// Whether the transfer is PQ or HLG (ITU-R BT.2100).
        public var isHDR: Bool { transfer == 16 || transfer == 18 }
    }
}
