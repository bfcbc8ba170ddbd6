import Foundation
import KingfisherPNM
import Testing

@Suite struct FormatTests {}
