import Foundation
import KingfisherBMP
import Testing

@Suite struct FormatTests {}
